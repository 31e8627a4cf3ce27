import { relative, sep } from 'node:path'
import { error } from '../../shared/errors/error.ts'
import type { PackageSchema } from '../../shared/providers/package-schema/package-schema.ts'
import { readTextOption } from '../../shared/programs/hosts/runtime-option.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import { locateProgram } from '../../shared/programs/project/project-file.ts'
import type { GeneratedSdk } from '../sdk/generated-sdk.ts'
import { generateNodeSdk } from '../sdk/node/generate-node-sdk.ts'
import { packageNameOf } from '../sdk/node/package-manifest.ts'
import { generatePythonSdk } from '../sdk/python/generate-python-sdk.ts'
import { readPythonPackage } from '../sdk/python/python-package.ts'
import { generateYamlSdk } from '../sdk/yaml/generate-yaml-sdk.ts'
import { addNodeDependency, findNodeManifest } from './node-dependency.ts'
import {
  addPythonDependency,
  findRequirements,
  makePath,
  readPythonToolchain,
} from './python-dependency.ts'

/** The generation of SDKs in one language. */
export interface SdkLanguage {
  /** Checks the project before anything is written. Throws PROJECT_INVALID. */
  readonly check: (project: Project) => void
  readonly generate: (schema: PackageSchema) => GeneratedSdk
  /** Makes the program depend on the SDK in `folder`. Returns a sentence for each change. */
  readonly link: (project: Project, schema: PackageSchema, folder: string) => readonly string[]
  /** The lines that the user runs or writes next. */
  readonly nextSteps: (project: Project, schema: PackageSchema, folder: string) => readonly string[]
}

const languages: ReadonlyMap<string, SdkLanguage> = new Map<string, SdkLanguage>([
  [
    'nodejs',
    {
      check: project => void findNodeManifest(project),
      generate: generateNodeSdk,
      link: (project: Project, schema: PackageSchema, folder: string) => {
        const manifest = findNodeManifest(project)
        const name = packageNameOf(schema)
        const source = addNodeDependency(manifest, name, folder)
        return [`Added "${name}": "${source}" to ${makeRelative(project, manifest)}.`]
      },
      nextSteps: (_project: Project, schema: PackageSchema) => [
        'npm install',
        `import * as ${toVariable(schema.name)} from '${packageNameOf(schema)}'`,
      ],
    },
  ],
  [
    'python',
    {
      check: project => {
        if (readPythonToolchain(project) === 'pip') findRequirements(project)
      },
      generate: generatePythonSdk,
      link: linkPythonSdk,
      nextSteps: (project: Project, schema: PackageSchema, folder: string) => {
        const { importName } = readPythonPackage(schema)
        const alias = schema.name.replaceAll('-', '_')
        return [listPythonCommand(project, folder), `import ${importName} as ${alias}`]
      },
    },
  ],
  [
    'yaml',
    {
      check: () => undefined,
      generate: generateYamlSdk,
      link: () => [],
      nextSteps: (_project: Project, schema: PackageSchema) => [`type: ${findTypeExample(schema)}`],
    },
  ],
])

/** Adds an SDK to `requirements.txt`. The commands of uv and poetry change their files themselves. */
function linkPythonSdk(project: Project, schema: PackageSchema, folder: string): readonly string[] {
  if (readPythonToolchain(project) !== 'pip') return []
  const file = findRequirements(project)
  const line = addPythonDependency(file, readPythonPackage(schema).importName, folder)
  return [`Added ${line} to ${makeRelative(project, file)}.`]
}

/** Returns the command that installs an SDK. */
function listPythonCommand(project: Project, folder: string): string {
  const toolchain = readPythonToolchain(project)
  if (toolchain !== 'pip')
    return `${toolchain} add ${makePath(locateProgram(project).programFolder, folder)}`
  const virtualenv = readTextOption(project, 'virtualenv')
  const pip = virtualenv === '' ? 'pip' : `${virtualenv}/bin/pip`
  return `${pip} install -r requirements.txt`
}

/** Returns the names of all languages. */
export function listSdkLanguages(): readonly string[] {
  return [...languages.keys()]
}

/** Reports whether SDKs can be generated for a language. */
export function hasSdkLanguage(name: string): boolean {
  return languages.has(name)
}

/** Returns the language with a name. Throws FEATURE_MISSING for other names. */
export function requireSdkLanguage(name: string): SdkLanguage {
  const language = languages.get(name)
  if (language !== undefined) return language
  const supported = [...languages.keys()].join(', ')
  throw error(
    'FEATURE_MISSING',
    `SDKs for the language '${name}' are not supported yet, only for ${supported}. \`package get-schema\` prints the schema for other generators`,
  )
}

/** Returns a path relative to the project, for a message. */
export function makeRelative({ root }: Pick<Project, 'root'>, path: string): string {
  const relativePath = relative(root, path)
  return relativePath.startsWith('..') ? path : relativePath.split(sep).join('/')
}

function toVariable(name: string): string {
  return name.replace(
    /[^A-Za-z0-9]+(.)?/g,
    (_separator, next?: string) => next?.toUpperCase() ?? '',
  )
}

/** Returns the shortened token of a resource: `random:Pet` for `random:index/pet:Pet`. */
function findTypeExample({ name, resources = {} }: PackageSchema): string {
  const [token = `${name}:index:Type`] = Object.keys(resources)
  return token.replace(/:index(\/\w+)?:/, ':')
}
