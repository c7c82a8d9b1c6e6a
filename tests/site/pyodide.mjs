// Runs a Python file under Pyodide in Node: node pyodide.mjs <pyodide folder> <python file> <wheel>...
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [folder, script, ...wheels] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const pyodide = await loadPyodide({ indexURL: `${folder}/` });
for (const wheel of wheels) pyodide.unpackArchive(new Uint8Array(await readFile(wheel)), "wheel");
try {
  await pyodide.runPythonAsync(await readFile(script, "utf8"), { filename: script });
} catch (error) {
  // Left alone, Node prints the megabyte of the line that threw.
  console.error(error.message);
  process.exitCode = 1;
}
