import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import {
  GeneratePackageRequest,
  LanguageRuntimeService,
  LinkRequest,
} from '../../proto/gen/pulumi/language.ts'
import { PackageDependency } from '../../proto/gen/pulumi/plugin.ts'
import { messageOf } from '../../shared/errors/error.ts'
import { isRecord } from '../../shared/programs/is-record.ts'
import type { PackageSchema } from '../../shared/providers/package-schema/package-schema.ts'
import {
  type LanguageHost,
  startHost,
  toProgramInfo,
} from '../../shared/programs/hosts/language-host.ts'
import type { ProgramSource } from '../../shared/programs/program.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import { locateProgram } from '../../shared/programs/project/project-file.ts'
import { resolveProjectPlugins } from '../../shared/programs/project/project-plugins.ts'
import {
  createCodeGenerationError,
  refuseErrorDiagnostics,
  withLanguageHosts,
} from '../project/generate-program.ts'
import { type OutputFile, readOutputFile } from '../project/output-file.ts'
import type { GeneratedSdk } from '../sdk/generated-sdk.ts'
import { isMethod } from '../sdk/package-members.ts'
import type { CliSession } from '../session/session.ts'
import type { LoadedSchema } from './load-package-schema.ts'

/**
 * Lets the host of a language generate the SDK of a package. `isLocal`: whether it is for local
 * use, and not for publication. Throws RUNTIME_UNKNOWN without a host, and CODE_GENERATION_FAILED.
 */
export function generateSdkByHost(
  session: CliSession,
  runtime: string,
  { loadedSchema, isLocal }: { readonly loadedSchema: LoadedSchema; readonly isLocal: boolean },
): Promise<GeneratedSdk> {
  const { cwd } = session
  const omittedTokens = runtime === 'go' ? listUnsupportedGoFunctions(loadedSchema.schema) : []
  const schema = JSON.stringify(omitFunctions(loadedSchema.json, omittedTokens))
  const source = { runtime, projectFolder: cwd, programFolder: cwd }
  return withHost(
    session,
    { ...source, entryPoint: '.', runtimeOptions: {} },
    async (host, address) => {
      const folder = mkdtempSync(join(tmpdir(), 'antichain-sdk-'))
      try {
        const directory = join(folder, runtime)
        mkdirSync(directory)
        const request = GeneratePackageRequest.create({
          directory,
          schema,
          loaderTarget: address,
          local: isLocal,
        })
        const call = host.call(LanguageRuntimeService.generatePackage, request)
        const { diagnostics } = await call.catch(refuseFailure)
        refuseErrorDiagnostics(diagnostics)
        return {
          files: readFiles(directory),
          omissions: omittedTokens.map(
            token => `${isMethod(loadedSchema.schema, token) ? 'method' : 'function'} ${token}`,
          ),
        }
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  )
}

/**
 * Lets the host of the language make a program depend on the SDK in a folder. Returns the lines
 * with which a program imports the SDK. Throws RUNTIME_UNKNOWN and CODE_GENERATION_FAILED.
 */
export function linkSdkByHost(
  session: CliSession,
  project: Project,
  { schema, folder }: { readonly schema: PackageSchema; readonly folder: string },
): Promise<readonly string[]> {
  const source: ProgramSource = {
    ...locateProgram(project),
    projectFolder: project.root,
    runtime: project.runtime,
    runtimeOptions: project.runtimeOptions,
    plugins: resolveProjectPlugins(project),
  }
  return withHost(session, source, async (host, address) => {
    const path = relative(source.programFolder, folder)
    const request = LinkRequest.create({
      info: toProgramInfo(source),
      loaderTarget: address,
      packages: [{ path, package: describePackage(schema) }],
    })
    const call = host.call(LanguageRuntimeService.link, request)
    const { importInstructions } = await call.catch(refuseFailure)
    return importInstructions.split('\n').filter(line => line.trim() !== '')
  })
}

/**
 * Returns the functions for which Pulumi's generator of Go writes invalid code. Only packages with
 * parameters have such functions: those whose result is no object, and methods with plain results.
 */
function listUnsupportedGoFunctions(schema: PackageSchema): readonly string[] {
  const { functions = {}, parameterization, extensionParameterization } = schema
  if (parameterization === undefined && extensionParameterization === undefined) return []
  return Object.entries(functions).flatMap(([token, { outputs }]) => {
    const isObject = outputs?.properties !== undefined || outputs?.$ref !== undefined
    const isPlainMethod = outputs?.plain === true && isMethod(schema, token)
    return isObject && !isPlainMethod ? [] : [token]
  })
}

/** Returns a schema without some functions, and without the methods that call them. */
function omitFunctions(json: unknown, tokens: readonly string[]): unknown {
  if (!isRecord(json) || tokens.length === 0) return json
  const { functions, resources, provider } = json
  return {
    ...json,
    ...(isRecord(functions) && {
      functions: Object.fromEntries(
        Object.entries(functions).filter(([token]) => !tokens.includes(token)),
      ),
    }),
    ...(isRecord(resources) && {
      resources: Object.fromEntries(
        Object.entries(resources).map(([token, spec]) => [token, omitMethods(spec, tokens)]),
      ),
    }),
    ...(isRecord(provider) && { provider: omitMethods(provider, tokens) }),
  }
}

function omitMethods(resource: unknown, tokens: readonly string[]): unknown {
  if (!isRecord(resource) || !isRecord(resource['methods'])) return resource
  const methods = Object.entries(resource['methods']).filter(
    ([, token]) => typeof token !== 'string' || !tokens.includes(token),
  )
  return { ...resource, methods: Object.fromEntries(methods) }
}

/** Throws CODE_GENERATION_FAILED with the message of a failed call. */
function refuseFailure(cause: unknown): never {
  throw createCodeGenerationError(messageOf(cause), { cause })
}

function withHost<T>(
  session: CliSession,
  source: ProgramSource,
  use: (host: LanguageHost, address: string) => Promise<T>,
): Promise<T> {
  return withLanguageHosts(session, async deps => {
    const host = await startHost(deps, source, deps.onLine)
    try {
      return await use(host, deps.engineAddress())
    } finally {
      await host.close()
    }
  })
}

/**
 * Returns the package of a schema. If the package has parameters, the result has the name of the
 * plugin that serves it, and the parameters.
 */
function describePackage(schema: PackageSchema): PackageDependency {
  const { name, version = '', pluginDownloadURL: server = '' } = schema
  const { parameterization, extensionParameterization } = schema
  const spec = parameterization ?? extensionParameterization
  const packageDependency = PackageDependency.create({ kind: 'resource', name, version, server })
  if (spec === undefined) return packageDependency
  const parameters = { name, version, value: Buffer.from(spec.parameter ?? '', 'base64') }
  return {
    ...packageDependency,
    name: spec.baseProvider.name,
    version: spec.baseProvider.version ?? '',
    ...(parameterization === undefined
      ? { extension: parameters }
      : { parameterization: parameters }),
  }
}

/** Returns all files in a folder by their paths, sorted. */
function readFiles(folder: string): ReadonlyMap<string, OutputFile> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted()
  return new Map(paths.map(path => [relative(folder, path), readOutputFile(path)]))
}
