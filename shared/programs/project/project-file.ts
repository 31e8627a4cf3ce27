import { readFileSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { createError, messageOf } from '../../errors/error.ts'
import { findProjectFile } from './find-project-file.ts'
import { readProjectConfig } from './project-config.ts'
import type { Project } from './project.ts'
import { readDeclaredPlugins } from './project-plugins.ts'
import { isRecord } from '../is-record.ts'
import { openYaml, type YamlSource } from './yaml-source.ts'

/** Finds and reads the project. Throws PROJECT_NOT_FOUND and the errors of `parseProject`. */
export function readProject(startFolder: string): Project {
  const file = findProjectFile(startFolder)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw createError('PROJECT_INVALID', `cannot read ${file}: ${messageOf(cause)}`, { cause })
  }
  return parseProject(text, file)
}

/**
 * Returns `backend.url` of a project file. Returns '' if the file is invalid or has no such field.
 */
export function readBackendUrl(file: string): string {
  try {
    return readText(openYaml(readFileSync(file, 'utf8'), file, 'PROJECT_INVALID'), [
      'backend',
      'url',
    ])
  } catch {
    // An invalid file is no error here. The command that needs the project reports it.
    return ''
  }
}

/**
 * Parses the text of a project file. Ignores keys without effect in Pulumi's engine (author,
 * template, backend …), and `requiredPulumiVersion`. Throws PROJECT_INVALID, with file, line and
 * column. Throws RUNTIME_UNKNOWN if the name of the runtime is not valid.
 */
export function parseProject(text: string, file: string): Project {
  const source = openYaml(text, file, 'PROJECT_INVALID')
  const name = readName(source)
  const { runtime, runtimeOptions } = readRuntime(source, file)
  const root = dirname(file)
  const config: unknown = source.document.get('config')
  const legacyStackConfigDir = typeof config === 'string' ? config : ''
  const stackConfigDir = readText(source, ['stackConfigDir'])
  if (typeof config === 'string' && stackConfigDir !== '')
    throw source.errorAt(
      ['config'],
      'use either `config` or `stackConfigDir` for the folder of stack files',
    )
  return {
    name,
    description: readText(source, ['description']),
    file,
    root,
    runtime,
    runtimeOptions,
    main: readText(source, ['main']),
    config: typeof config === 'string' ? [] : readProjectConfig(source, name),
    stackConfigDir: resolve(root, stackConfigDir || legacyStackConfigDir),
    plugins: readDeclaredPlugins(source, readPlainValue(source, [])),
    refreshAlways: readRefresh(source),
  }
}

/**
 * Returns the folder in which the program runs, and its entry point: `.` or a file. Throws
 * PROJECT_INVALID when `main` does not exist.
 */
export function locateProgram(project: Project): {
  readonly programFolder: string
  readonly entryPoint: string
} {
  if (project.main === '') return { programFolder: project.root, entryPoint: '.' }
  const main = isAbsolute(project.main) ? project.main : join(project.root, project.main)
  const stats = statSync(main, { throwIfNoEntry: false })
  if (stats === undefined)
    throw createError(
      'PROJECT_INVALID',
      `${project.file}: \`main\` names ${main}, which does not exist`,
    )
  return stats.isDirectory()
    ? { programFolder: main, entryPoint: '.' }
    : { programFolder: dirname(main), entryPoint: basename(main) }
}

function readName(source: YamlSource): string {
  const name: unknown = source.document.get('name')
  if (name === undefined || name === null) throw source.errorAt([], 'the project has no `name`')
  if (typeof name !== 'string' || name === '')
    throw source.errorAt(['name'], '`name` must be a string that is not empty')
  if (!/^[\w.-]{1,100}$/.test(name))
    throw source.errorAt(
      ['name'],
      '`name` must have at most 100 characters: letters, digits, `_`, `.` and `-`',
    )
  return name
}

function readText(source: YamlSource, path: readonly string[]): string {
  const value: unknown = source.document.getIn(path)
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string')
    throw source.errorAt(path, `\`${path.join('.')}\` must be a string`)
  return value
}

function readRuntime(
  source: YamlSource,
  file: string,
): Pick<Project, 'runtime' | 'runtimeOptions'> {
  const runtimeValue: unknown = readPlainValue(source, ['runtime'])
  if (runtimeValue === undefined || runtimeValue === null || runtimeValue === '')
    return { runtime: '', runtimeOptions: {} }
  const isMap = isRecord(runtimeValue)
  if (typeof runtimeValue !== 'string' && !isMap)
    throw source.errorAt(
      ['runtime'],
      '`runtime` must be a string, or a map with `name` and `options`',
    )
  const name: unknown = isMap ? runtimeValue['name'] : runtimeValue
  if (typeof name !== 'string')
    throw source.errorAt(['runtime', 'name'], '`runtime.name` must be a string')
  if (!/^[a-z0-9-]{1,50}$/.test(name))
    throw createError('RUNTIME_UNKNOWN', `${file}: '${name}' is not a valid runtime name`)
  const options: unknown = isMap ? (runtimeValue['options'] ?? {}) : {}
  if (!isRecord(options))
    throw source.errorAt(['runtime', 'options'], '`runtime.options` must be a map')
  checkOptions(source, builtinOptionTypes[name] ?? {}, options)
  return { runtime: name, runtimeOptions: options }
}

/** Options of the built-in runtimes, with their types. */
const builtinOptionTypes: Readonly<Record<string, Readonly<Record<string, 'boolean' | 'string'>>>> =
  {
    nodejs: { typescript: 'boolean', tsconfig: 'string', nodeargs: 'string' },
    python: { virtualenv: 'string', toolchain: 'string' },
    go: { binary: 'string' },
  }

function checkOptions(
  source: YamlSource,
  optionTypes: Readonly<Record<string, 'boolean' | 'string'>>,
  options: Readonly<Record<string, unknown>>,
): void {
  for (const [name, type] of Object.entries(optionTypes)) {
    if (options[name] !== undefined && typeof options[name] !== type)
      throw source.errorAt(
        ['runtime', 'options', name],
        `the runtime option \`${name}\` must be a ${type}`,
      )
  }
}

function readRefresh(source: YamlSource): boolean {
  const refresh = readText(source, ['options', 'refresh'])
  if (refresh !== '' && refresh !== 'always')
    throw source.errorAt(['options', 'refresh'], '`options.refresh` must be `always`')
  return refresh === 'always'
}

function readPlainValue(source: YamlSource, path: readonly string[]): unknown {
  let value: unknown = JSON.parse(
    JSON.stringify(source.document.toJS(), replaceBigInteger) ?? 'null',
  )
  for (const key of path) value = isRecord(value) ? value[key] : undefined
  return value
}

function replaceBigInteger(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}
