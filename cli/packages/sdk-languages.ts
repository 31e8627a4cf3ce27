import { relative, sep } from 'node:path'
import type { PackageSchema } from '../../shared/providers/package-schema/package-schema.ts'
import { readTextOption } from '../../shared/programs/hosts/runtime-option.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import { locateProgram } from '../../shared/programs/project/project-file.ts'
import { toVariableName } from '../import/typescript-program.ts'
import type { GeneratedSdk } from '../sdk/generated-sdk.ts'
import { generateNodeSdk } from '../sdk/node/generate-node-sdk.ts'
import { packageNameOf } from '../sdk/node/package-manifest.ts'
import { generatePythonSdk } from '../sdk/python/generate-python-sdk.ts'
import { toPythonName } from '../sdk/python/python-names.ts'
import { readPythonPackage } from '../sdk/python/python-package.ts'
import { generateYamlSdk } from '../sdk/yaml/generate-yaml-sdk.ts'
import type { CliSession } from '../session/session.ts'
import { findGoImport } from './go-import.ts'
import { generateSdkByHost, linkSdkByHost } from './host-sdk.ts'
import type { LoadedSchema } from './load-package-schema.ts'
import { addNodeDependency, findNodeManifest } from './node-dependency.ts'
import {
  addPythonDependency,
  findRequirements,
  toFolderArgument,
  readPythonToolchain,
} from './python-dependency.ts'

/** A package whose SDK is in a folder. */
export interface SdkFolder {
  readonly schema: PackageSchema
  readonly folder: string
}

/** The changes that make a program depend on an SDK. */
interface SdkLink {
  /** A sentence for each change. */
  readonly changes: readonly string[]
  /** The lines that the user runs or writes next. */
  readonly nextSteps: readonly string[]
}

/** The generation of SDKs in one language. */
export interface SdkLanguage {
  /** The runtime of its programs. */
  readonly runtime: string
  /** Checks the project before anything is written, unless a host does. Throws PROJECT_INVALID. */
  readonly check: (project: Project) => void
  /** Generates the SDK. `isLocal`: whether it is for local use, and not for publication. */
  readonly generate: (
    session: CliSession,
    loadedSchema: LoadedSchema,
    isLocal: boolean,
  ) => Promise<GeneratedSdk>
  /** Makes the program depend on the SDK in a folder. */
  readonly link: (session: CliSession, project: Project, sdk: SdkFolder) => Promise<SdkLink>
}

/** The languages whose SDKs this program generates itself. */
const languages: readonly SdkLanguage[] = [
  {
    runtime: 'nodejs',
    check: project => void findNodeManifest(project),
    generate: async (_session, { schema }) => generateNodeSdk(schema),
    link: async (_session, project, sdk) => linkNodeSdk(project, sdk),
  },
  {
    runtime: 'python',
    check: project => {
      if (readPythonToolchain(project) === 'pip') findRequirements(project)
    },
    generate: async (_session, { schema }) => generatePythonSdk(schema),
    link: async (_session, project, sdk) => linkPythonSdk(project, sdk),
  },
  {
    runtime: 'yaml',
    check: () => undefined,
    generate: async (_session, { schema }) => generateYamlSdk(schema),
    link: async (_session, _project, { schema }) => ({
      changes: [],
      nextSteps: [`type: ${findTypeExample(schema)}`],
    }),
  },
]

/** The runtime of each language whose name is not itself the name of its runtime. */
const runtimes: ReadonlyMap<string, string> = new Map([
  ...[['typescript', 'nodejs'] as const, ['javascript', 'nodejs'] as const],
  ...[['csharp', 'dotnet'] as const, ['c#', 'dotnet'] as const],
])

/** Returns the runtimes of the languages that need no host. */
export function listSdkLanguages(): readonly string[] {
  return languages.map(({ runtime }) => runtime)
}

/**
 * Returns the language with a name, such as `typescript`, or with a runtime. If the language is not
 * in `languages`, its host generates the SDKs, and checks the project only when it links an SDK.
 */
export function findSdkLanguage(name: string): SdkLanguage {
  const runtime = runtimes.get(name) ?? name
  return (
    languages.find(language => language.runtime === runtime) ?? {
      runtime,
      check: () => undefined,
      generate: (session, loadedSchema, isLocal) =>
        generateSdkByHost(session, runtime, { loadedSchema, isLocal }),
      link: async (session, project, sdk) => {
        const instructions = await linkSdkByHost(session, { ...project, runtime }, sdk)
        const goImport = runtime === 'go' ? findGoImport(sdk.folder) : undefined
        const goSteps = [`import "${goImport}"`, 'go mod tidy']
        return { changes: [], nextSteps: goImport === undefined ? instructions : goSteps }
      },
    }
  )
}

function linkNodeSdk(project: Project, { schema, folder }: SdkFolder): SdkLink {
  const manifest = findNodeManifest(project)
  const name = packageNameOf(schema)
  const source = addNodeDependency(manifest, name, folder)
  return {
    changes: [`Added "${name}": "${source}" to ${makeRelative(project, manifest)}.`],
    nextSteps: ['npm install', `import * as ${toPackageVariable(schema.name)} from '${name}'`],
  }
}

/** Adds an SDK to `requirements.txt`. The commands of uv and poetry change their files themselves. */
function linkPythonSdk(project: Project, { schema, folder }: SdkFolder): SdkLink {
  const { importName } = readPythonPackage(schema)
  const importLine = `import ${importName} as ${toPythonName(schema.name)}`
  const toolchain = readPythonToolchain(project)
  if (toolchain !== 'pip') {
    const path = toFolderArgument(locateProgram(project).programFolder, folder)
    return { changes: [], nextSteps: [`${toolchain} add ${path}`, importLine] }
  }
  const file = findRequirements(project)
  const line = addPythonDependency(file, importName, folder)
  const virtualenv = readTextOption(project, 'virtualenv')
  const pip = virtualenv === '' ? 'pip' : `${virtualenv}/bin/pip`
  return {
    changes: [`Added ${line} to ${makeRelative(project, file)}.`],
    nextSteps: [`${pip} install -r requirements.txt`, importLine],
  }
}

/** Returns a path relative to the folder `root`, for a message. A path outside stays absolute. */
export function makeRelative({ root }: Pick<Project, 'root'>, path: string): string {
  const relativePath = relative(root, path)
  return relativePath.startsWith('..') ? path : relativePath.split(sep).join('/')
}

/** Returns the variable of a package in camel case: `myShop` for `my-shop`. */
function toPackageVariable(name: string): string {
  return toVariableName(
    name.replace(/[^A-Za-z0-9]+(.)?/g, (_separator, next?: string) => next?.toUpperCase() ?? ''),
  )
}

/** Returns the shortened token of a resource: `random:Pet` for `random:index/pet:Pet`. */
function findTypeExample({ name, resources = {} }: PackageSchema): string {
  const [token = `${name}:index:Type`] = Object.keys(resources)
  return token.replace(/:index(\/\w+)?:/, ':')
}
