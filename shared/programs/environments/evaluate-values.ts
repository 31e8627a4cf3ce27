import { formatPath, parsePath, type PathSegment } from '../../values/path.ts'
import type { YamlSource } from '../project/yaml-source.ts'
import { callEnvironmentFunction } from './call-function.ts'
import {
  hasSecretPart,
  type EnvironmentValue,
  fieldsOf,
  listItemsOf,
  mergeValues,
  sizeOfValue,
  textOfValue,
} from './environment-value.ts'

/** The input of an evaluation. */
export interface EvaluationInput {
  readonly source: YamlSource
  /** The plain data of `values`. */
  readonly values: ReadonlyMap<unknown, unknown>
  /** The path of `values` in the file. */
  readonly valuesPath: readonly string[]
  /** The merged values of the imports. */
  readonly base: EnvironmentValue
  /** The values of each import, for references that begin with `imports`. */
  readonly imports: EnvironmentValue
}

/** Maximum total size of the values that references and functions produce in an environment. */
const sizeMax = 5_000_000

/**
 * Maximum number of values that are being evaluated at the same time. Each of these values is a
 * part of the previous one, or a reference in the previous one names it. More values would overflow
 * the call stack.
 */
const runningMax = 300

type KeyPath = readonly (string | number)[]

/** A map with texts as keys. `functionName`: the first key that names a function, if any. */
interface TextMap {
  readonly fields: ReadonlyMap<string, unknown>
  readonly functionName: string | undefined
}

/** A running evaluation. */
interface Evaluation extends EvaluationInput {
  /** The paths that are being evaluated, to find cycles. */
  readonly running: Set<string>
  /** The evaluated values by path. Without them, a chain of references would take cubic time. */
  readonly evaluated: Map<string, EnvironmentValue>
  /** Returns the map with its keys as texts. Each map is converted once. */
  readonly readMap: (raw: ReadonlyMap<unknown, unknown>) => TextMap
  /**
   * Adds the size of a value to the total, and returns the value. Throws when the total exceeds
   * `sizeMax`, or when the value has too many levels. References can repeat values, so a short file
   * could describe a value of any size.
   */
  readonly charge: (value: EnvironmentValue, path: KeyPath) => EnvironmentValue
  readonly errorAt: (path: KeyPath, sentence: string) => Error
}

/**
 * Evaluates the values of an environment: functions, and interpolations such as `${a.b[0]}`. Throws
 * CONFIG_INVALID with file and line for an unknown or cyclic reference, a wrong argument or too
 * large values. Throws FEATURE_MISSING for an unsupported function.
 */
export function evaluateValues(input: EvaluationInput): EnvironmentValue {
  let size = 0
  const errorAt = (path: KeyPath, sentence: string): Error =>
    input.source.errorAt([...input.valuesPath, ...path], sentence)
  const charge = (value: EnvironmentValue, path: KeyPath): EnvironmentValue => {
    size += sizeOfValue(value)
    if (size > sizeMax) throw errorAt(path, 'the values of the environment are too large')
    return value
  }
  const evaluated = new Map<string, EnvironmentValue>()
  const readMap = createMapReader()
  const running = new Set<string>()
  return evaluate({ ...input, running, evaluated, readMap, charge, errorAt }, input.values, [])
}

function createMapReader(): Evaluation['readMap'] {
  const maps = new WeakMap<ReadonlyMap<unknown, unknown>, TextMap>()
  return raw => {
    const existing = maps.get(raw)
    if (existing !== undefined) return existing
    const fields = new Map([...raw].map(([key, item]) => [String(key), item]))
    const map = { fields, functionName: [...fields.keys()].find(key => key.startsWith('fn::')) }
    maps.set(raw, map)
    return map
  }
}

function evaluate(evaluation: Evaluation, raw: unknown, path: KeyPath): EnvironmentValue {
  const { running, evaluated, errorAt } = evaluation
  const key = JSON.stringify(path)
  const existing = evaluated.get(key)
  if (existing !== undefined) return existing
  if (running.has(key)) throw errorAt(path, `the value \`${formatPath(path)}\` refers to itself`)
  if (running.size >= runningMax)
    throw errorAt(path, `more than ${runningMax} values contain or use this one`)
  running.add(key)
  const value = evaluateRaw(evaluation, raw, path)
  running.delete(key)
  evaluated.set(key, value)
  return value
}

function evaluateRaw(evaluation: Evaluation, raw: unknown, path: KeyPath): EnvironmentValue {
  if (typeof raw === 'string') return interpolate(evaluation, raw, path)
  if (raw instanceof Map) return evaluateMap(evaluation, evaluation.readMap(raw), path)
  if (!Array.isArray(raw)) return { isSecret: false, content: isPlainScalar(raw) ? raw : null }
  const content = raw.map((item, index) => evaluate(evaluation, item, [...path, index]))
  return { isSecret: false, content }
}

function evaluateMap(
  evaluation: Evaluation,
  { fields: raw, functionName: name }: TextMap,
  path: KeyPath,
): EnvironmentValue {
  const { base, charge, errorAt } = evaluation
  if (name === undefined) {
    const fields = [...raw].map(
      ([key, item]) => [key, evaluate(evaluation, item, [...path, key])] as const,
    )
    return mergeValues(getAtKeyPath(base, path), { isSecret: false, content: new Map(fields) })
  }
  if (raw.size > 1) throw errorAt(path, `\`${name}\` must be the only key of its map`)
  if (name === 'fn::secret' && isEncryptedByService(raw.get(name)))
    throw errorAt([...path, name], 'only the service of Pulumi ESC can decrypt this `ciphertext`')
  const argument = evaluate(evaluation, raw.get(name), [...path, name])
  const errorOf = (sentence: string): Error => errorAt([...path, name], sentence)
  return charge(callEnvironmentFunction(name, argument, errorOf), path)
}

/** Reports whether the argument of `fn::secret` is a value that Pulumi ESC has encrypted. */
function isEncryptedByService(argument: unknown): boolean {
  return argument instanceof Map && argument.size === 1 && argument.has('ciphertext')
}

/** Replaces the references of a text. A text that is one reference keeps the type of its value. */
function interpolate(evaluation: Evaluation, text: string, path: KeyPath): EnvironmentValue {
  const onlyReference = /^\$\{([^}]*)\}$/.exec(text)?.[1]
  if (onlyReference !== undefined) return lookUp(evaluation, onlyReference, path)
  if (/\$\{[^}]*$/.test(text.replaceAll('$${', '')))
    throw evaluation.errorAt(path, 'the text has `${` without a closing brace')
  let isSecret = false
  const content = text.replaceAll(/\$\$\{|\$\{([^}]*)\}/g, (match, reference?: string) => {
    if (reference === undefined) return match.slice(1)
    const value = lookUp(evaluation, reference, path)
    isSecret ||= hasSecretPart(value)
    return textOfValue(value)
  })
  return { isSecret, content }
}

/** Returns the value of a reference in the text at `textPath`. */
function lookUp(evaluation: Evaluation, reference: string, textPath: KeyPath): EnvironmentValue {
  const { values, imports, charge, errorAt } = evaluation
  const path = parseReference(reference, sentence => errorAt(textPath, sentence))
  const value =
    path[0] === 'imports' && !values.has('imports')
      ? getAtKeyPath(imports, path.slice(1))
      : findValue(evaluation, { raw: values, path: [] }, path)
  if (value === undefined) throw errorAt(textPath, `the value \`${reference}\` does not exist`)
  return charge(value, textPath)
}

/**
 * Finds the value at `subpath` below `container`. Does not evaluate the maps that contain the
 * value, because other values of these maps may depend on the value that is being evaluated.
 */
function findValue(
  evaluation: Evaluation,
  container: { readonly raw: unknown; readonly path: KeyPath },
  subpath: KeyPath,
): EnvironmentValue | undefined {
  const { raw, path } = container
  const [segment, ...deeperPath] = subpath
  if (segment === undefined) return evaluate(evaluation, raw, path)
  const map = raw instanceof Map ? evaluation.readMap(raw) : undefined
  if (map !== undefined && map.functionName === undefined && typeof segment === 'string')
    return map.fields.has(segment)
      ? findValue(
          evaluation,
          { raw: map.fields.get(segment), path: [...path, segment] },
          deeperPath,
        )
      : getAtKeyPath(evaluation.base, [...path, ...subpath])
  if (!Array.isArray(raw) || typeof segment !== 'number')
    return getAtKeyPath(evaluate(evaluation, raw, path), subpath)
  if (segment >= raw.length) return undefined
  return findValue(evaluation, { raw: raw[segment], path: [...path, segment] }, deeperPath)
}

function getAtKeyPath(
  value: EnvironmentValue | undefined,
  path: KeyPath,
): EnvironmentValue | undefined {
  const [segment, ...subpath] = path
  if (segment === undefined || value === undefined) return value
  const child =
    typeof segment === 'string' ? fieldsOf(value)?.get(segment) : listItemsOf(value)?.[segment]
  return getAtKeyPath(child, subpath)
}

function parseReference(text: string, errorOf: (sentence: string) => Error): KeyPath {
  let path: readonly PathSegment[] = []
  try {
    path = parsePath(text)
  } catch {
    throw errorOf(`\`${text}\` is not a reference`)
  }
  const keys = path.filter(segment => typeof segment !== 'symbol')
  if (keys.length === 0 || keys.length < path.length)
    throw errorOf(`\`${text}\` is not a reference`)
  return keys
}

function isPlainScalar(data: unknown): data is boolean | number | bigint {
  return ['boolean', 'number', 'bigint'].includes(typeof data)
}
