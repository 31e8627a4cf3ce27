import { freeShape, type ValueShape } from '../mapping/property-names.ts'

/**
 * The functions of Terraform's language that Pulumi's package `std` has, with the names of their
 * arguments in order. A name with `...` takes all remaining arguments as one list. Source: the
 * schema of pulumi-std 2.3.2.
 */
const signatures: Readonly<Record<string, readonly string[]>> = {
  ...listWithArguments(['input'], ['abs', 'abspath', 'alltrue', 'anytrue', 'base64gzip']),
  ...listWithArguments(['input'], ['base64sha256', 'base64sha512', 'basename', 'ceil', 'chomp']),
  ...listWithArguments(['input'], ['cidrnetmask', 'compact', 'csvdecode', 'dirname', 'distinct']),
  ...listWithArguments(['input'], ['filebase64sha512', 'fileexists', 'filemd5', 'filesha1']),
  ...listWithArguments(['input'], ['filesha256', 'filesha512', 'flatten', 'floor', 'jsondecode']),
  ...listWithArguments(['input'], ['keys', 'lower', 'md5', 'pathexpand', 'reverse', 'sha256']),
  ...listWithArguments(['input'], ['sha512', 'signum', 'sort', 'strrev', 'sum', 'title']),
  ...listWithArguments(['input'], ['transpose', 'trimspace', 'upper', 'urlencode', 'values']),
  ...listWithArguments(['input...'], ['coalesce', 'coalescelist', 'concat', 'max', 'merge']),
  ...listWithArguments(['input...'], ['min', 'setintersection']),
  ...listWithArguments([], ['timestamp', 'uuid']),
  bcrypt: ['input', 'cost'],
  chunklist: ['input', 'size'],
  cidrhost: ['input', 'host'],
  cidrsubnet: ['input', 'newbits', 'netnum'],
  cidrsubnets: ['input', 'newbits...'],
  contains: ['input', 'element'],
  endswith: ['input', 'suffix'],
  format: ['input', 'args...'],
  formatlist: ['input', 'args...'],
  indent: ['spaces', 'input'],
  index: ['input', 'element'],
  log: ['input', 'base'],
  lookup: ['map', 'key', 'default'],
  parseint: ['input', 'base'],
  pow: ['base', 'exponent'],
  range: ['start', 'limit', 'step'],
  regex: ['pattern', 'string'],
  regexall: ['pattern', 'string'],
  replace: ['text', 'search', 'replace'],
  rsadecrypt: ['cipherText', 'key'],
  slice: ['list', 'from', 'to'],
  startswith: ['input', 'prefix'],
  substr: ['input', 'offset', 'length'],
  timeadd: ['timestamp', 'duration'],
  timecmp: ['timestampa', 'timestampb'],
  trim: ['input', 'cutset'],
  trimprefix: ['input', 'prefix'],
  trimsuffix: ['input', 'suffix'],
  zipmap: ['keys', 'values'],
}

/** How results silently differ from those of Terraform. Source: pulumi-std 2.3.2. */
const differences: Readonly<Record<string, string>> = {
  csvdecode: 'keeps quotes, and refuses an empty last line',
  jsondecode: 'returns the text itself if it is no object',
  regex: 'returns an empty list without a match, instead of an error',
  setintersection: 'returns its elements in a random order',
  timecmp: 'returns 0 instead of 1 if the first timestamp is later',
  title: 'changes the other letters of each word to lowercase',
}

/** The functions whose result is always a list, a set or a map. */
const resultKinds: Readonly<Record<'list' | 'set' | 'map', readonly string[]>> = {
  list: [
    ...['coalescelist', 'compact', 'concat', 'csvdecode', 'distinct', 'flatten', 'keys'],
    ...['reverse', 'slice', 'sort', 'values'],
  ],
  set: ['setintersection'],
  map: ['merge', 'transpose', 'zipmap'],
}

function listWithArguments(
  args: readonly string[],
  names: readonly string[],
): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(names.map(name => [name, args]))
}

/** A function of the package `std`. */
export interface StandardFunction {
  readonly token: string
  /** The names of single arguments, in order. */
  readonly argumentNames: readonly string[]
  /** The name of the list with the remaining arguments. */
  readonly variadicName: string | undefined
  /** How its results differ from those of Terraform. */
  readonly difference: string | undefined
  /** The kind of its results. */
  readonly shape: ValueShape
}

/** Returns the function of `std` for a function of Terraform's language. */
export function findStandardFunction(name: string): StandardFunction | undefined {
  const signature = Object.hasOwn(signatures, name) ? signatures[name] : undefined
  if (signature === undefined) return undefined
  const last = signature.at(-1)
  const isVariadic = last?.endsWith('...') === true
  return {
    token: `std:index:${name}`,
    argumentNames: isVariadic ? signature.slice(0, -1) : signature,
    variadicName: isVariadic ? last.slice(0, -3) : undefined,
    difference: differences[name],
    shape: findResultShape(name),
  }
}

function findResultShape(name: string): ValueShape {
  for (const kind of ['list', 'set', 'map'] as const)
    if (resultKinds[kind].includes(name)) return { kind, element: freeShape }
  return freeShape
}
