/**
 * sdk/node: the SDK of a package for programs in Node. The SDK is JavaScript with declarations for
 * TypeScript, and needs no build. Imports package schemas and errors. The module is pure, except
 * that it reads `sdk-runtime.cjs`, which each SDK contains.
 *
 * Invariants: equal schemas give equal files. Modules, resources and functions have the same names
 * as in the SDKs that Pulumi generates, so that programs run with both. `omissions` names the parts
 * of the package that the SDK leaves out.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PackageSchema } from '../../../shared/providers/package-schema/package-schema.ts'
import { createTextFiles } from '../../project/output-file.ts'
import type { GeneratedSdk } from '../generated-sdk.ts'
import { generatedNotice } from './declaration-text.ts'
import { defineVariablesModule } from './config-text.ts'
import { declareFunction, defineFunction } from './function-text.ts'
import {
  findOmissions,
  isMethod,
  listModules,
  listSubmodules,
  type Member,
  toTitle,
} from '../package-members.ts'
import { rootPathOf, toIdentifier } from './module-names.ts'
import { createNodeMemberReader } from './node-settings.ts'
import { formatPackageManifest } from './package-manifest.ts'
import {
  declareProviderClass,
  declareResource,
  defineProvider,
  defineResource,
} from './resource-text.ts'
import { createTypeFormatter, type TypeFormatter } from './type-text.ts'
import { declareNamedTypes } from './type-files.ts'

/**
 * Generates the SDK of a package. Throws FEATURE_MISSING for a schema with types of other packages,
 * and PLUGIN_FAILED for an invalid schema.
 */
export function generateNodeSdk(schema: PackageSchema): GeneratedSdk {
  const readMember = createNodeMemberReader(schema)
  const formatter = createTypeFormatter(schema)
  const resources = Object.keys(schema.resources ?? {}).map(readMember)
  const tokens = Object.keys(schema.functions ?? {}).filter(token => !isMethod(schema, token))
  const functions = tokens.map(readMember)
  const modules = listModules([...resources, ...functions])
  const files = new Map<string, string>()
  for (const module of modules) {
    const contents: ModuleContents = {
      module,
      submodules: listSubmodules(module, modules),
      resources: resources.filter(member => member.module === module),
      functions: functions.filter(member => member.module === module),
    }
    const folder = module === '' ? '' : `${module}/`
    files.set(`${folder}index.js`, toFile(defineModule(schema, contents)))
    files.set(`${folder}index.d.ts`, toFile(declareModule(schema, contents, formatter)))
  }
  for (const [path, lines] of defineVariablesModule(schema, formatter))
    files.set(path, toFile(lines))
  for (const [path, lines] of declareNamedTypes(formatter)) files.set(path, toFile(lines))
  files.set('runtime.js', readFileSync(join(import.meta.dirname, 'sdk-runtime.cjs'), 'utf8'))
  files.set('package.json', formatPackageManifest(schema))
  return { files: createTextFiles(files), omissions: findOmissions(schema) }
}

interface ModuleContents {
  readonly module: string
  readonly submodules: readonly string[]
  readonly resources: readonly Member[]
  readonly functions: readonly Member[]
}

function lastSegmentOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function toFile(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}

function defineModule(schema: PackageSchema, contents: ModuleContents): readonly string[] {
  const { module, submodules, resources, functions } = contents
  const { name } = schema
  const submoduleLines = submodules.map(path => {
    const folder = lastSegmentOf(path)
    return `  ${toIdentifier(folder)}: () => require(${JSON.stringify(`./${folder}`)}),`
  })
  const types = resources.map(
    ({ token, name: type }) => `  ${JSON.stringify(token)}: exports.${toTitle(type)},`,
  )
  return [
    "'use strict'",
    generatedNotice,
    `const runtime = require('${rootPathOf(module)}/runtime.js')`,
    ...resources.flatMap(({ token, name: type }) =>
      defineResource(toTitle(type), token, schema.resources?.[token] ?? {}),
    ),
    ...functions.flatMap(({ token, name: call }) => defineFunction(call, token, schema)),
    ...(module === '' ? defineProvider(name, schema.provider ?? {}) : []),
    ...(types.length > 0
      ? [`runtime.registerTypes(${JSON.stringify(name)}, {`, ...types, '})']
      : []),
    ...(module === ''
      ? ["exports.config = require('./config')", 'exports.types = { input: {}, output: {} }']
      : []),
    ...(submoduleLines.length > 0
      ? [
          'runtime.defineModules(exports, {',
          ...submoduleLines,
          '})',
          // The line has no effect. Node reads it to find the names of the exports that ES modules
          // can import.
          `0 && (module.exports = { ${submodules.map(path => toIdentifier(lastSegmentOf(path))).join(', ')} })`,
        ]
      : []),
  ]
}

function declareModule(
  schema: PackageSchema,
  contents: ModuleContents,
  formatter: TypeFormatter,
): readonly string[] {
  const { module, submodules, resources, functions } = contents
  const root = rootPathOf(module)
  const submoduleFolders = submodules.map(lastSegmentOf)
  return [
    generatedNotice,
    "import * as pulumi from '@pulumi/pulumi'",
    `import * as inputs from '${root}/types/input'`,
    `import * as outputs from '${root}/types/output'`,
    `import * as self from '${root}/index'`,
    ...resources.flatMap(({ token, name }) =>
      declareResource(toTitle(name), schema.resources?.[token] ?? {}, formatter),
    ),
    ...functions.flatMap(({ token, name }) =>
      declareFunction(name, schema.functions?.[token] ?? {}, formatter),
    ),
    ...(module === ''
      ? [
          ...declareProviderClass(schema.provider ?? {}, formatter),
          "export * as config from './config'",
          "export * as types from './types'",
        ]
      : []),
    ...submoduleFolders.map(folder => `export * as ${toIdentifier(folder)} from './${folder}'`),
  ]
}
