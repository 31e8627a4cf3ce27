import type {
  FunctionSpec,
  ObjectSpec,
  PropertySpec,
} from '../../../shared/providers/package-schema/package-schema.ts'
import type { Annotator } from './annotations.ts'
import { formatDefault, formatGetter } from './class-text.ts'
import { toArgumentName, toPythonName } from './python-names.ts'
import { formatDocstring, formatExports, indentBlock } from './source-text.ts'

/** A function of a package. */
export interface PackageFunction {
  /** The name in Python, such as `get_pet`. */
  readonly name: string
  /** The name of the class of its result, such as `GetPetResult`. */
  readonly resultName: string
  readonly token: string
  readonly spec: FunctionSpec
  /** The object that the function returns, or undefined for another result. */
  readonly result: ObjectSpec | undefined
}

/**
 * Returns the definitions of a function in both forms: the plain one waits for the result, and the
 * form `<name>_output` takes and returns outputs. A function without a result has only the plain
 * form.
 */
export function formatFunction(
  packageFunction: PackageFunction,
  annotator: Annotator,
): readonly string[] {
  const { name, resultName, spec, result } = packageFunction
  const forms = spec.outputs === undefined ? [name] : [name, `${name}_output`]
  const classes = result === undefined ? [] : [resultName, `Awaitable${resultName}`]
  return [
    formatExports([...classes, ...forms]),
    ...(result === undefined ? [] : formatResult(resultName, result, annotator)),
    ...formatForm(packageFunction, 'plain', annotator),
    ...(spec.outputs === undefined ? [] : formatForm(packageFunction, 'output', annotator)),
  ]
}

/** Returns the class of a result, and its subclass whose objects programs can also await. */
function formatResult(name: string, result: ObjectSpec, annotator: Annotator): readonly string[] {
  const properties = sortProperties(result)
  const names = properties.map(([key]) => toPythonName(key))
  const assignments = names.map(key => `pulumi.set(__self__, ${JSON.stringify(key)}, ${key})`)
  const parameters = ['__self__,', ...names.map(key => `${key}: _typing.Any = None,`)]
  return [
    ...['', '', '@pulumi.output_type', `class ${name}:`],
    ...indentBlock([
      ...formatDocstring(result),
      ...['def __init__(', ...indentBlock(parameters), ') -> None:'],
      ...indentBlock(assignments.length === 0 ? ['pass'] : assignments),
      ...properties.flatMap(([key, spec]) => {
        const options = { isRequired: result.required?.includes(key) === true }
        return formatGetter(key, spec, annotator.formatProperty(spec, 'output', options))
      }),
    ]),
    ...['', '', `class Awaitable${name}(${name}):`],
    ...indentBlock([
      'def __await__(self) -> _typing.Any:',
      ...indentBlock(['if False:', '    yield self', `return ${name}(**self.__dict__)`]),
    ]),
  ]
}

function formatForm(
  { name, resultName, token, spec, result }: PackageFunction,
  form: 'plain' | 'output',
  annotator: Annotator,
): readonly string[] {
  const args = listArguments(spec)
  const isPlain = form === 'plain'
  const parameters = args.map(([key, property]) => {
    const options = { isRequired: false, acceptsDicts: true }
    const type = annotator.formatProperty(property, 'plain', options)
    return `${toArgumentName(key)}: ${isPlain ? type : `pulumi.Input[${type}]`} = None,`
  })
  const optionsType = isPlain
    ? '_typing.Optional[pulumi.InvokeOptions]'
    : '_typing.Optional[_typing.Union[pulumi.InvokeOptions, pulumi.InvokeOutputOptions]]'
  const call = [JSON.stringify(token), '__args__', 'opts'].join(', ')
  const value = formatValueType(spec, annotator)
  return [
    ...['', '', `def ${isPlain ? name : `${name}_output`}(`],
    ...indentBlock([...parameters, `opts: ${optionsType} = None,`]),
    `) -> ${formatReturnType({ isPlain, resultName, hasObject: result !== undefined, value })}:`,
    ...indentBlock([
      ...formatDocstring(spec),
      ...(spec.deprecationMessage === undefined
        ? []
        : [
            `pulumi.log.warn(${JSON.stringify(`${name} is deprecated: ${spec.deprecationMessage}`)})`,
          ]),
      ...formatArguments(args),
      ...(isPlain
        ? [
            result === undefined
              ? `return _utilities.call_single_function(${call})`
              : `return Awaitable${resultName}(**_utilities.call_function(${call}, ${resultName}))`,
          ]
        : [
            `return _utilities.call_output_function(${call}, ${result === undefined ? 'None' : resultName})`,
          ]),
    ]),
  ]
}

function formatArguments(args: readonly (readonly [string, PropertySpec])[]): readonly string[] {
  const entries = args.map(([key, property]) => {
    const name = toArgumentName(key)
    const defaults = formatDefault(property)
    const values = property.default === undefined ? ['default=None', ...defaults] : defaults
    const value =
      defaults.length === 0 ? name : `_utilities.read_default(${[name, ...values].join(', ')})`
    return `${JSON.stringify(key)}: ${value},`
  })
  return entries.length === 0 ? ['__args__ = {}'] : ['__args__ = {', ...indentBlock(entries), '}']
}

/** Returns the type of a result. Returns undefined for an object, or without a result. */
function formatValueType({ outputs }: FunctionSpec, annotator: Annotator): string | undefined {
  if (outputs === undefined || outputs.properties !== undefined) return undefined
  return annotator.format(outputs, 'output')
}

function formatReturnType(returned: {
  readonly isPlain: boolean
  readonly resultName: string
  readonly hasObject: boolean
  readonly value: string | undefined
}): string {
  const { isPlain, resultName, hasObject, value = 'None' } = returned
  if (isPlain) return hasObject ? `Awaitable${resultName}` : value
  return `pulumi.Output[${hasObject ? resultName : value}]`
}

/** Returns the arguments in the order of their positions, or else sorted by name. */
function listArguments(spec: FunctionSpec): readonly (readonly [string, PropertySpec])[] {
  const { inputs = {}, multiArgumentInputs: positions } = spec
  if (positions === undefined) return sortProperties(inputs)
  return positions.map(name => [name, inputs.properties?.[name] ?? { $ref: 'pulumi.json#/Any' }])
}

function sortProperties({ properties = {} }: ObjectSpec): readonly [string, PropertySpec][] {
  return Object.entries(properties).toSorted(([a], [b]) => (a < b ? -1 : 1))
}
