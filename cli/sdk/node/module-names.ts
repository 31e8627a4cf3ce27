import { error } from '../../../shared/errors/error.ts'
import type { PackageSchema } from '../../../shared/providers/package-schema/package-schema.ts'

/** A resource, function or type of a package: its token, and its module and name in an SDK. */
export interface Member {
  readonly token: string
  /** The path of the module, such as `s3` or `storage/v1`. '' is the module of the package. */
  readonly module: string
  readonly name: string
}

/** Returns the function that parses a token. The function throws PLUGIN_FAILED for another text. */
export function createMemberReader(schema: PackageSchema): (token: string) => Member {
  const format = new RegExp(`^${schema.meta?.moduleFormat ?? '(.*)'}`)
  return token => {
    const [packageName, path = '', name = '', ...others] = token.split(':')
    if (packageName === undefined || name === '' || others.length > 0)
      throw error('PLUGIN_FAILED', `the schema of '${schema.name}' has an invalid token '${token}'`)
    const module = format.exec(path)?.[1] ?? ''
    return { token, module: module === 'index' ? '' : module, name }
  }
}

/** Returns the modules of members, and all modules above them, sorted. The first one is ''. */
export function listModules(members: readonly Member[]): readonly string[] {
  const modules = new Set([''])
  for (const { module } of members) {
    const parts = module.split('/')
    for (const index of parts.keys()) modules.add(parts.slice(0, index + 1).join('/'))
  }
  return [...modules].toSorted()
}

/** Returns the modules directly below a module. */
export function listSubmodules(module: string, modules: readonly string[]): readonly string[] {
  const prefix = module === '' ? '' : `${module}/`
  return modules.filter(
    other =>
      other !== '' &&
      other.startsWith(prefix) &&
      !other.slice(prefix.length).includes('/') &&
      other !== module,
  )
}

/** Replaces characters that identifiers cannot have by `_`, and puts a `_` before a first digit. */
export function toIdentifier(name: string): string {
  return name.replace(/[^\w$]/g, '_').replace(/^(?=\d)/, '_')
}

/** Returns a path of modules as a path of namespaces: `storage.v1` for `storage/v1`. */
export function toNamespace(module: string): string {
  return module.split('/').map(toIdentifier).join('.')
}

/** Returns the relative path from the folder of a module to the folder of the SDK. */
export function rootPathOf(module: string): string {
  return module === '' ? '.' : module.split('/').fill('..').join('/')
}

/** Returns a name that begins with a capital. */
export function toTitle(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}

/** Words that cannot be the name of a declaration, and names that generated files import. */
const reservedNames: ReadonlySet<string> = new Set(
  [
    'arguments await break case catch class const continue debugger default delete do else enum',
    'eval export extends false finally for function if implements import in inputs instanceof',
    'interface let new null outputs package private protected public pulumi return self static',
    'super switch this throw true try typeof undefined var void while with yield',
  ].flatMap(line => line.split(' ')),
)

/** Returns the name of a declaration, and the name of its export if that is another one. */
export function declareName(name: string): readonly [string, string?] {
  const identifier = toIdentifier(name)
  return reservedNames.has(identifier) ? [`${identifier}_`, identifier] : [identifier]
}
