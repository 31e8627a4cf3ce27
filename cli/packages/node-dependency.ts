import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { createError } from '../../shared/errors/error.ts'
import { isRecord } from '../../shared/programs/is-record.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import { locateProgram } from '../../shared/programs/project/project-file.ts'
import { parseJson } from '../../shared/values/parse-json.ts'

/**
 * Returns the path of the `package.json` of the program, or else of its project. Throws
 * PROJECT_INVALID if neither has one, or if it is not a JSON object.
 */
export function findNodeManifest(project: Project): string {
  const { programFolder } = locateProgram(project)
  const candidates = [programFolder, project.root].map(folder => join(folder, 'package.json'))
  const manifestPath = candidates.find(path => existsSync(path))
  if (manifestPath === undefined)
    throw createError(
      'PROJECT_INVALID',
      `no package.json in ${programFolder}: the program cannot depend on the SDK without it; create it with \`npm init\``,
    )
  // Throws for a file that is not a JSON object, before the command writes the SDK.
  readManifest(manifestPath)
  return manifestPath
}

/**
 * Adds a dependency on a package in a folder, and keeps the rest of the file. Returns the source of
 * the dependency, such as `file:sdks/random`. Throws PROJECT_INVALID.
 */
export function addNodeDependency(manifest: string, name: string, folder: string): string {
  const { json, text } = readManifest(manifest)
  const path = relative(dirname(manifest), folder).split(sep).join('/')
  const source = `file:${path}`
  const dependencies = isRecord(json['dependencies']) ? json['dependencies'] : {}
  const sortedDependencies = Object.entries({ ...dependencies, [name]: source }).toSorted(
    ([a], [b]) => (a < b ? -1 : 1),
  )
  const indentation = /^\{\r?\n([ \t]+)/.exec(text)?.[1] ?? '  '
  const newManifest = { ...json, dependencies: Object.fromEntries(sortedDependencies) }
  const newText = `${JSON.stringify(newManifest, null, indentation)}\n`
  if (newText !== text) writeFileSync(manifest, newText)
  return source
}

function readManifest(path: string): {
  readonly json: Readonly<Record<string, unknown>>
  readonly text: string
} {
  const text = readFileSync(path, 'utf8')
  const json = parseJson(text)
  if (!isRecord(json)) throw createError('PROJECT_INVALID', `${path} is not a JSON object`)
  return { json, text }
}
