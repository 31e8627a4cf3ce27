import { createError } from '../../shared/errors/error.ts'
import type {
  ComplexTypeSpec,
  PackageSchema,
  TypeSpec,
} from '../../shared/providers/package-schema/package-schema.ts'

/** A resource, function or type of a package: its token, and its module and name in an SDK. */
export interface Member {
  readonly token: string
  /** The path of the module, such as `s3` or `storage/v1`. '' is the module of the package. */
  readonly module: string
  readonly name: string
}

/** Returns the function that parses a token. It throws PLUGIN_FAILED for an invalid token. */
export function createMemberReader(schema: PackageSchema): (token: string) => Member {
  const modulePattern = new RegExp(`^${schema.meta?.moduleFormat ?? '(.*)'}`)
  return token => {
    const [packageName, path = '', name = '', ...others] = token.split(':')
    if (packageName === undefined || name === '' || others.length > 0)
      throw createError(
        'PLUGIN_FAILED',
        `the schema of '${schema.name}' has an invalid token '${token}'`,
      )
    const module = modulePattern.exec(path)?.[1] ?? ''
    return { token, module: module === 'index' ? '' : module, name }
  }
}

/** Returns the modules of members, and all modules above them, sorted. The first one is ''. */
export function listModules(members: readonly Pick<Member, 'module'>[]): readonly string[] {
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

/** Returns a name that begins with a capital. */
export function toTitle(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}

/** Reports whether a function is a method: its argument `__self__` is the resource. */
export function isMethod({ functions }: PackageSchema, token: string): boolean {
  return functions?.[token]?.inputs?.properties?.['__self__'] !== undefined
}

/** Reports whether nested types are named as in the SDKs of bridged Terraform providers. */
export function hasBridgedNames(compatibility: string): boolean {
  return compatibility === 'tfbridge20' || compatibility === 'kubernetes20'
}

/** Returns the parts of a package that the generators of SDKs leave out: methods of resources. */
export function findOmissions(schema: PackageSchema): readonly string[] {
  const methods = Object.keys(schema.functions ?? {}).filter(token => isMethod(schema, token))
  return methods.map(token => `method ${token}`)
}

/** A reference to a member of the same package. */
export interface MemberReference {
  readonly kind: 'types' | 'resources' | 'provider'
  /** '' for the provider. */
  readonly token: string
}

/**
 * Parses a reference to a type or resource, such as `#/types/<token>`. Throws FEATURE_MISSING for a
 * member of another package.
 */
export function parseReference({ name }: PackageSchema, reference: string): MemberReference {
  const [, kind, encodedToken = ''] = /^#\/(types|resources|provider)\/?(.*)$/.exec(reference) ?? []
  if (kind !== 'types' && kind !== 'resources' && kind !== 'provider')
    throw createError(
      'FEATURE_MISSING',
      `the schema of '${name}' uses the type '${reference}' of another package; SDKs of such packages are not supported yet`,
    )
  const token = decodeURIComponent(encodedToken)
  return { kind: token === `pulumi:providers:${name}` ? 'provider' : kind, token }
}

/** Returns a type of a package. Throws PLUGIN_FAILED if the schema does not have it. */
export function requireType({ name, types }: PackageSchema, token: string): ComplexTypeSpec {
  const spec = types?.[token]
  if (spec !== undefined) return spec
  throw createError('PLUGIN_FAILED', `the schema of '${name}' has no type '${token}'`)
}

/** Returns the tokens of the types that some properties use, directly or in other types. */
export function findUsedTypes(
  { types = {} }: PackageSchema,
  properties: readonly TypeSpec[],
): ReadonlySet<string> {
  const usedTypes = new Set<string>()
  const visit = (spec: TypeSpec): void => {
    for (const nestedSpec of [spec.items, spec.additionalProperties, ...(spec.oneOf ?? [])])
      if (nestedSpec !== undefined) visit(nestedSpec)
    const token = decodeURIComponent(/^#\/types\/(.*)$/.exec(spec.$ref ?? '')?.[1] ?? '')
    if (token === '' || usedTypes.has(token)) return
    usedTypes.add(token)
    Object.values(types[token]?.properties ?? {}).forEach(visit)
  }
  properties.forEach(visit)
  return usedTypes
}
