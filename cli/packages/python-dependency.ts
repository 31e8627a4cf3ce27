import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { createError } from '../../shared/errors/error.ts'
import { readTextOption } from '../../shared/programs/hosts/runtime-option.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import { locateProgram } from '../../shared/programs/project/project-file.ts'

/** Returns the package manager of a project in Python: `pip`, `uv` or `poetry`. */
export function readPythonToolchain(project: Project): string {
  return readTextOption(project, 'toolchain').toLowerCase() || 'pip'
}

/** Returns the path of the `requirements.txt` of the program. Throws PROJECT_INVALID. */
export function findRequirements(project: Project): string {
  const { programFolder } = locateProgram(project)
  const file = join(programFolder, 'requirements.txt')
  if (existsSync(file)) return file
  throw createError(
    'PROJECT_INVALID',
    `no requirements.txt in ${programFolder}: the program cannot depend on the SDK without it`,
    { hint: 'Create it. A program with a pyproject.toml needs the line `-e .` in it.' },
  )
}

/**
 * Adds a requirement on a package in a folder, and keeps other lines. A line that requires the
 * package from elsewhere is replaced, including its continuations, because pip refuses two sources.
 * Returns the new line.
 */
export function addPythonDependency(file: string, name: string, folder: string): string {
  const text = readFileSync(file, 'utf8')
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = joinContinuations(text.split(/\r?\n/), newline)
  const path = toFolderArgument(dirname(file), folder)
  const isLinked = (line: string): boolean => isFolderLine(line, dirname(file), folder)
  const isPackageRequirement = (line: string): boolean => isPackageLine(line, name)
  const replacedIndex = lines.findIndex(isPackageRequirement)
  const isMissing = !lines.some(isLinked)
  const newLines = lines.flatMap((line, index) => {
    if (!isPackageRequirement(line)) return [line]
    return index === replacedIndex && isMissing ? [path] : []
  })
  if (isMissing && replacedIndex === -1)
    newLines.splice(newLines.at(-1) === '' ? -1 : newLines.length, 0, path)
  const newText = newLines.join(newline)
  if (newText !== text) writeFileSync(file, newText)
  return path
}

/** Returns the path of a folder as an argument of a command that runs in the folder `from`. */
export function toFolderArgument(from: string, folder: string): string {
  const path = relative(from, folder).split(sep).join('/')
  return path.startsWith('..') ? path : `./${path}`
}

/** Joins each line that ends with a backslash with the next one. Comments do not continue. */
function joinContinuations(lines: readonly string[], newline: string): readonly string[] {
  const joinedLines: string[] = []
  let isContinued = false
  for (const line of lines) {
    joinedLines.push(isContinued ? `${joinedLines.pop()}${newline}${line}` : line)
    isContinued = line.endsWith('\\') && !/(^|\s)#/.test(line)
  }
  return joinedLines
}

/**
 * Reports whether a line names a folder, as a path or an address of the scheme `file`. The package
 * may be editable, and may have extras or conditions.
 */
function isFolderLine(line: string, root: string, folder: string): boolean {
  const [path = ''] = line
    .replaceAll(/\\\r?\n/g, ' ')
    .trim()
    .replace(/^(-e|--editable)[\s=]+/, '')
    .replace(/^file:(\/\/(?=\/))?/, '')
    .split(/\s*;|\s+(?:#|--)|\[/)
  return path.includes('/') && resolve(root, path) === resolve(folder)
}

/** Reports whether a line requires a package by its name, in which hyphens equal underscores. */
function isPackageLine(line: string, name: string): boolean {
  const [, required = ''] = /^\s*([\w.-]+)\s*($|[[<>=!~;@#,\s])/.exec(line) ?? []
  const normalize = (text: string): string => text.toLowerCase().replaceAll(/[-_.]+/g, '-')
  return required !== '' && normalize(required) === normalize(name)
}
