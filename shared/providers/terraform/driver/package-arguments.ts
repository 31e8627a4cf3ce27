import { createError } from '../../../errors/error.ts'
import type { PackageParameter } from './package-parameter.ts'

/** The options whose value is a list of Terraform types. */
const listOptions: readonly string[] = ['--include', '--exclude']

/**
 * Parses the arguments of a package: a source with an optional version constraint, or the path of a
 * local provider. Options: `--include a,b`, `--exclude a,b`, `--provider-name n`. Without a
 * constraint, `version` is '', which allows every version. Throws TERRAFORM_PACKAGE_INVALID.
 */
export function parsePackageArguments(args: readonly string[]): PackageParameter {
  const { operands, options } = splitArguments(args)
  const [source, version = '', ...others] = operands
  if (source === undefined || source === '')
    throw createArgumentError(
      'they name no provider; the first one must be a source or the path of a file',
    )
  const packageOptions = {
    includes: readList(options, '--include'),
    excludes: readList(options, '--exclude'),
    providerName: options.get('--provider-name'),
  }
  if (/^[./]/.test(source)) {
    if (version !== '')
      throw createArgumentError(`a local provider has no version, but has '${version}'`)
    return { ...packageOptions, kind: 'local', path: source }
  }
  if (others.length > 0)
    throw createArgumentError(`nothing may follow the version, but '${others.join(' ')}' does`)
  return { ...packageOptions, kind: 'remote', source, version }
}

/** Returns the parameter value of a package, which is base64 of JSON. */
export function formatPackageParameter(parameter: PackageParameter): string {
  const { includes, excludes, providerName, providerMeta } = parameter
  const origin =
    parameter.kind === 'remote'
      ? { remote: { url: parameter.source, version: parameter.version } }
      : { local: { path: parameter.path } }
  const json = {
    ...origin,
    ...(includes.length > 0 && { includes }),
    ...(excludes.length > 0 && { excludes }),
    ...(providerName !== undefined && { providerName }),
    ...(providerMeta !== undefined && { providerMeta }),
  }
  return Buffer.from(JSON.stringify(json)).toString('base64')
}

function splitArguments(args: readonly string[]): {
  readonly operands: readonly string[]
  readonly options: ReadonlyMap<string, string>
} {
  const operands: string[] = []
  const options = new Map<string, string>()
  const remaining = [...args]
  for (let arg = remaining.shift(); arg !== undefined; arg = remaining.shift()) {
    if (!arg.startsWith('-')) {
      operands.push(arg)
      continue
    }
    const [name = '', ...inlineValue] = arg.split('=')
    if (name !== '--provider-name' && !listOptions.includes(name))
      throw createArgumentError(`'${name}' is not an option`)
    const value = inlineValue.length > 0 ? inlineValue.join('=') : remaining.shift()
    if (value === undefined || value === '') throw createArgumentError(`'${name}' needs a value`)
    // A repeated list option extends the list. A repeated `--provider-name` replaces the name.
    const previous = listOptions.includes(name) ? options.get(name) : undefined
    options.set(name, previous === undefined ? value : `${previous},${value}`)
  }
  return { operands, options }
}

function readList(options: ReadonlyMap<string, string>, name: string): readonly string[] {
  const text = options.get(name)
  if (text === undefined) return []
  return text
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '')
}

function createArgumentError(problem: string): Error {
  return createError(
    'TERRAFORM_PACKAGE_INVALID',
    `the arguments of a Terraform package are invalid: ${problem}`,
  )
}
