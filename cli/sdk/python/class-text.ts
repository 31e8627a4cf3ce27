import type {
  ObjectSpec,
  PropertySpec,
} from '../../../shared/providers/package-schema/package-schema.ts'
import { type AnnotationUse, type Annotator, findPrimitiveType } from './annotations.ts'
import { formatLiteral, toPythonName } from './python-names.ts'
import { type Documented, formatDocstring, formatList, indentBlock } from './source-text.ts'

/** The settings of a class. `required`: the properties that an object always has. */
interface ClassOptions {
  readonly use: AnnotationUse
  readonly required: readonly string[]
  readonly annotator: Annotator
}

interface ClassProperty {
  readonly name: string
  readonly pythonName: string
  readonly spec: PropertySpec
  readonly isRequired: boolean
  /** Whether a program must pass the argument of the constructor. */
  readonly needsArgument: boolean
  readonly annotation: string
  /** The annotation of the argument, which may also be a dictionary. */
  readonly argumentAnnotation: string
  /** The annotation of the entry in a dictionary, in which nothing sets constants and defaults. */
  readonly entryAnnotation: string
}

/** Returns a class for objects as inputs or outputs. Objects in outputs are dictionaries, too. */
export function formatClass(
  name: string,
  object: ObjectSpec,
  options: ClassOptions,
): readonly string[] {
  const { use } = options
  const properties = listProperties(object, options)
  const decorator = use === 'output' ? '@pulumi.output_type' : '@pulumi.input_type'
  return [
    ...['', '', decorator, `class ${name}${use === 'output' ? '(dict)' : ''}:`],
    ...indentBlock([
      ...formatDocstring(object),
      ...formatConstructor(properties, use),
      ...properties.flatMap(property => formatAccessors(property, use)),
    ]),
  ]
}

/** Returns the class of the dictionaries that programs may pass as inputs instead of objects. */
export function formatDictClass(
  name: string,
  object: ObjectSpec,
  options: ClassOptions,
): readonly string[] {
  const lines = listProperties(object, options).flatMap(
    ({ pythonName, entryAnnotation, isRequired, spec }) => [
      `${pythonName}: ${isRequired ? entryAnnotation : `_typing_extensions.NotRequired[${entryAnnotation}]`}`,
      ...formatDocstring(spec),
    ],
  )
  return [
    ...['', '', `class ${name}Dict(_typing.TypedDict):`],
    ...indentBlock([...formatDocstring(object), ...(lines.length === 0 ? ['pass'] : lines)]),
  ]
}

/** Returns the getter of an output. */
export function formatGetter(
  name: string,
  spec: Documented,
  annotation: string,
): readonly string[] {
  const pythonName = toPythonName(name)
  const { deprecationMessage: message } = spec
  return [
    '',
    '@_builtins.property',
    pythonName === name ? '@pulumi.getter' : `@pulumi.getter(name=${JSON.stringify(name)})`,
    ...(message === undefined ? [] : [`@pulumi.deprecated(${JSON.stringify(message)})`]),
    `def ${pythonName}(self) -> ${annotation}:`,
    ...indentBlock([
      ...formatDocstring(spec),
      `return pulumi.get(self, ${JSON.stringify(pythonName)})`,
    ]),
  ]
}

/** Reports whether an input has a constant or a default, so that programs need not pass it. */
export function hasOwnValue(spec: PropertySpec | undefined): boolean {
  return spec?.const !== undefined || spec?.default !== undefined
}

/** Returns the keyword arguments that describe the default of an input. */
export function formatDefault(spec: PropertySpec): readonly string[] {
  const env = spec.defaultInfo?.environment ?? []
  const kind = findPrimitiveType(spec.type)
  return [
    ...(spec.default === undefined ? [] : [`default=${formatLiteral(spec.default)}`]),
    ...(env.length === 0 ? [] : [`env=${formatList(env)}`]),
    ...(env.length === 0 || kind === undefined ? [] : [`kind=${kind}`]),
  ]
}

/** Returns the properties of a class: first the required ones, each group sorted by name. */
function listProperties(
  { properties = {} }: ObjectSpec,
  { use, required, annotator }: ClassOptions,
): readonly ClassProperty[] {
  const unsortedProperties = Object.entries(properties).map(([name, spec]) => {
    const isRequired = required.includes(name)
    const annotation = annotator.formatProperty(spec, use, { isRequired })
    const needsArgument = isRequired && (use === 'output' || !hasOwnValue(spec))
    const formatArgument = (isPresent: boolean): string =>
      annotator.formatProperty(spec, use, { isRequired: isPresent, acceptsDicts: true })
    return {
      name,
      pythonName: toPythonName(name),
      spec,
      isRequired,
      needsArgument,
      annotation,
      argumentAnnotation: formatArgument(needsArgument),
      entryAnnotation: formatArgument(isRequired),
    }
  })
  const sortedProperties = unsortedProperties.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return [
    ...sortedProperties.filter(({ isRequired }) => isRequired),
    ...sortedProperties.filter(({ isRequired }) => !isRequired),
  ]
}

function formatConstructor(
  properties: readonly ClassProperty[],
  use: AnnotationUse,
): readonly string[] {
  if (properties.length === 0) return ['def __init__(__self__) -> None:', '    pass']
  const parameters = properties.map(
    ({ pythonName, argumentAnnotation, needsArgument }) =>
      `${pythonName}: ${argumentAnnotation}${needsArgument ? '' : ' = None'},`,
  )
  const values = properties.map(property => {
    const value = use === 'output' ? property.pythonName : formatInputValue(property)
    return `${JSON.stringify(property.pythonName)}: ${value},`
  })
  const deprecations = properties.flatMap(
    ({ pythonName, spec: { deprecationMessage: message } }) =>
      message === undefined || use === 'output'
        ? []
        : [`${JSON.stringify(pythonName)}: ${JSON.stringify(message)},`],
  )
  return [
    'def __init__(',
    ...indentBlock(['__self__,', '*,', ...parameters]),
    ') -> None:',
    ...indentBlock([
      '_utilities.set_properties(',
      ...indentBlock([
        '__self__,',
        ...['{', ...indentBlock(values), '},'],
        ...(deprecations.length === 0 ? [] : ['{', ...indentBlock(deprecations), '},']),
      ]),
      ')',
    ]),
  ]
}

/** Returns the value of an input: a constant, or else the argument or its default. */
function formatInputValue({ pythonName, spec, isRequired }: ClassProperty): string {
  if (spec.const !== undefined) {
    const literal = formatLiteral(spec.const)
    return isRequired ? literal : `None if ${pythonName} is None else ${literal}`
  }
  const defaults = formatDefault(spec)
  if (defaults.length === 0) return pythonName
  const values = spec.default === undefined ? ['default=None', ...defaults] : defaults
  return `_utilities.read_default(${[pythonName, ...values].join(', ')})`
}

function formatAccessors(
  { name, pythonName, spec, annotation }: ClassProperty,
  use: AnnotationUse,
): readonly string[] {
  // Inputs report their deprecation when they are set.
  const documented = use === 'output' ? spec : { description: spec.description }
  const getter = formatGetter(name, documented, annotation)
  if (use === 'output') return getter
  return [
    ...getter,
    '',
    `@${pythonName}.setter`,
    `def ${pythonName}(self, value: ${annotation}) -> None:`,
    `    pulumi.set(self, ${JSON.stringify(pythonName)}, value)`,
  ]
}
