import { isUtf8 } from 'node:buffer'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A file that a command writes. */
export interface OutputFile {
  /** A text, or the bytes of a file that is not text. */
  readonly content: string | Uint8Array
  readonly isExecutable: boolean
}

/** Returns files with texts by their paths. None is executable. */
export function createTextFiles(
  texts: ReadonlyMap<string, string>,
): ReadonlyMap<string, OutputFile> {
  return new Map([...texts].map(([path, content]) => [path, { content, isExecutable: false }]))
}

/** Reads a file with its mode. Only UTF-8 is read as text. */
export function readOutputFile(path: string): OutputFile {
  const isExecutable = (statSync(path).mode & 0o100) !== 0
  const bytes = readFileSync(path)
  return { content: isUtf8(bytes) ? bytes.toString() : bytes, isExecutable }
}

/** Writes a file below a folder, and creates the folders in its path. */
export function writeOutputFile(
  folder: string,
  path: string,
  { content, isExecutable }: OutputFile,
): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), content, { mode: isExecutable ? 0o777 : 0o666 })
}
