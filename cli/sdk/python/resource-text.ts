import type {
  PackageSchema,
  PropertySpec,
  ResourceSpec,
} from '../../../shared/providers/package-schema/package-schema.ts'
import { parseReference } from '../package-members.ts'
import type { Annotator } from './annotations.ts'
import { formatClass, formatDefault, formatGetter, hasOwnValue } from './class-text.ts'
import { formatLiteral, toParameterName, toPythonName } from './python-names.ts'
import { findReplacementPaths } from './replacement-paths.ts'
import { formatDocstring, formatExports, formatList, indentBlock } from './source-text.ts'

/** A resource class. The token of a provider is the name of its package. */
export interface ResourceClass {
  readonly name: string
  /** The name of the class with the arguments. */
  readonly argsName: string
  readonly token: string
  readonly spec: ResourceSpec
  readonly isProvider: boolean
}

/** Returns the definitions of a resource: its class, and the class of its arguments. */
export function formatResource(
  schema: PackageSchema,
  resource: ResourceClass,
  annotator: Annotator,
): readonly string[] {
  const { name, argsName, spec, isProvider, token } = resource
  const args = { description: `The arguments of ${name}.`, properties: spec.inputProperties ?? {} }
  const required = findRequiredInputs(spec)
  const stateInputs = findStateInputs(resource)
  const stateName = stateInputs === undefined ? argsName : `_${name}State`
  const typeToken = isProvider ? `pulumi:providers:${token}` : token
  return [
    formatExports([argsName, name]),
    ...formatClass(argsName, args, { use: 'input', required, annotator }),
    ...(stateInputs === undefined
      ? []
      : formatClass(stateName, stateInputs, { use: 'input', required: [], annotator })),
    ...formatDefinition(schema, resource),
    ...['', '', `@pulumi.type_token(${JSON.stringify(typeToken)})`],
    `class ${name}(pulumi.${findBaseClass(resource)}):`,
    ...indentBlock([
      ...formatDocstring(spec),
      ...formatConstructors(resource, required, annotator),
      ...(isProvider || spec.isComponent === true ? [] : formatGet(resource, stateName, annotator)),
      ...listOutputs(resource).flatMap(([key, property]) =>
        formatGetter(
          key,
          property,
          formatOutput(property, spec.required?.includes(key), annotator),
        ),
      ),
    ]),
  ]
}

function findBaseClass({ isProvider, spec }: ResourceClass): string {
  if (isProvider) return 'ProviderResource'
  return spec.isComponent === true ? 'ComponentResource' : 'CustomResource'
}

function formatOutput(
  spec: PropertySpec,
  isRequired: boolean | undefined,
  annotator: Annotator,
): string {
  const options = { isRequired: isRequired === true }
  return `pulumi.Output[${annotator.formatProperty(spec, 'output', options)}]`
}

/**
 * Returns the outputs that a class has. A provider registers its inputs as JSON unless they are
 * strings, so only its strings are usable outputs.
 */
function listOutputs({ spec, isProvider }: ResourceClass): readonly [string, PropertySpec][] {
  const outputs = sortProperties(spec.properties)
  return isProvider ? outputs.filter(([, { type }]) => type === 'string') : outputs
}

function sortProperties(
  properties: Readonly<Record<string, PropertySpec>> = {},
): readonly [string, PropertySpec][] {
  return Object.entries(properties).toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/** Returns the inputs that a program must set: they have neither a constant nor a default. */
function findRequiredInputs(spec: ResourceSpec): readonly string[] {
  return (spec.requiredInputs ?? []).filter(name => !hasOwnValue(spec.inputProperties?.[name]))
}

function findStateInputs({ spec, isProvider }: ResourceClass): ResourceSpec['stateInputs'] {
  if (isProvider || spec.isComponent === true) return undefined
  return Object.keys(spec.stateInputs?.properties ?? {}).length === 0 ? undefined : spec.stateInputs
}

function formatDefinition(schema: PackageSchema, resource: ResourceClass): readonly string[] {
  const { token, spec, isProvider } = resource
  const { aliases = [], deprecationMessage, isComponent, inputProperties = {} } = spec
  const required = findRequiredInputs(spec)
  const inputs = sortProperties(inputProperties).map(([name, property]) => {
    const values = [
      ...(toParameterName(name) === toPythonName(name)
        ? []
        : [`property=${JSON.stringify(toPythonName(name))}`]),
      ...(property.const === undefined ? [] : [`const=${formatLiteral(property.const)}`]),
      ...formatDefault(property),
      ...(required.includes(name) ? ['is_required=True'] : []),
      ...(property.secret === true ? ['is_secret=True'] : []),
      ...(isProvider && !isText(schema, property) ? ['is_json=True'] : []),
    ]
    return `${JSON.stringify(toParameterName(name))}: _utilities.Input(${values.join(', ')}),`
  })
  const outputs = listOutputs(resource).map(([name]) => name)
  const pureOutputs = outputs.filter(name => inputProperties[name] === undefined)
  const secretSource = isProvider ? inputProperties : spec.properties
  const secrets = sortProperties(secretSource).filter(([, { secret }]) => secret === true)
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ['outputs', pureOutputs.map(toPythonName)],
    ['secret_outputs', secrets.map(([name]) => name)],
    ['aliases', aliases.flatMap(({ type }) => (type === undefined ? [] : [type]))],
    ['replace_on_changes', findReplacementPaths(schema, spec.properties)],
  ]
  return [
    ...['', '_definition = _utilities.ResourceDefinition('],
    ...indentBlock([
      `token=${JSON.stringify(token)},`,
      ...(inputs.length === 0 ? ['inputs={},'] : ['inputs={', ...indentBlock(inputs), '},']),
      ...lists.flatMap(([key, texts]) =>
        texts.length === 0 ? [] : [`${key}=${formatList(texts)},`],
      ),
      ...(isComponent === true ? ['is_custom=False,'] : []),
      ...(deprecationMessage === undefined
        ? []
        : [`deprecation=${JSON.stringify(deprecationMessage)},`]),
    ]),
    ')',
  ]
}

/** Reports whether a property is a text, or an enumeration of texts. */
function isText(schema: PackageSchema, { type, $ref }: PropertySpec): boolean {
  if ($ref?.startsWith('#/types/') !== true) return type === 'string'
  const spec = schema.types?.[parseReference(schema, $ref).token]
  return spec?.enum !== undefined && spec.type === 'string'
}

const optionsParameter = 'opts: _typing.Optional[pulumi.ResourceOptions] = None,'

function formatParameters(
  properties: Readonly<Record<string, PropertySpec>> | undefined,
  annotator: Annotator,
): readonly string[] {
  return sortProperties(properties).map(([name, property]) => {
    const options = { isRequired: false, acceptsDicts: true }
    return `${toParameterName(name)}: ${annotator.formatProperty(property, 'input', options)} = None,`
  })
}

function formatConstructors(
  { argsName, spec, isProvider }: ResourceClass,
  required: readonly string[],
  annotator: Annotator,
): readonly string[] {
  const { isComponent = false } = spec
  const nameParameters = ['__self__,', 'resource_name: _builtins.str,']
  const argsParameter =
    required.length > 0 ? `args: ${argsName},` : `args: _typing.Optional[${argsName}] = None,`
  const propertyParameters = [
    ...[optionsParameter, ...formatParameters(spec.inputProperties, annotator)],
    '__props__: _typing.Any = None,',
  ]
  const overload = (parameters: readonly string[]): readonly string[] => [
    ...['@_typing.overload', 'def __init__('],
    ...indentBlock([...nameParameters, ...parameters]),
    ') -> None: ...',
  ]
  return [
    ...overload(propertyParameters),
    ...overload([argsParameter, optionsParameter]),
    'def __init__(__self__, resource_name: _builtins.str, *args: _typing.Any, **kwargs: _typing.Any) -> None:',
    ...indentBlock([
      `__props__, opts = _definition.read(${argsName}, args, kwargs)`,
      'super().__init__(',
      ...indentBlock([
        ...['_definition.token,', 'resource_name,', '__props__,', 'opts,'],
        ...(isComponent && !isProvider ? ['remote=True,'] : []),
        'package_ref=_utilities.get_package(),',
      ]),
      ')',
    ]),
  ]
}

/** Returns the function that reads an existing resource by its id. */
function formatGet(
  resource: ResourceClass,
  stateName: string,
  annotator: Annotator,
): readonly string[] {
  const { name, spec } = resource
  const state = findStateInputs(resource)?.properties ?? {}
  const outputs = Object.keys(spec.properties ?? {}).filter(key => state[key] === undefined)
  const values = [
    ...outputs.toSorted().map(key => `${JSON.stringify(toPythonName(key))}: None,`),
    ...sortProperties(state).map(
      ([key]) => `${JSON.stringify(toPythonName(key))}: ${toParameterName(key)},`,
    ),
  ]
  return [
    ...['', '@_builtins.staticmethod', 'def get('],
    ...indentBlock([
      ...['resource_name: _builtins.str,', 'id: pulumi.Input[_builtins.str],', optionsParameter],
      ...formatParameters(state, annotator),
    ]),
    `) -> ${name}:`,
    ...indentBlock([
      '"""Returns an existing resource by its id. The state is optional."""',
      `__props__ = _utilities.create_state(${stateName}, {`,
      ...indentBlock(values),
      '})',
      'opts = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(id=id))',
      `return ${name}(resource_name, opts=opts, __props__=__props__)`,
    ]),
  ]
}
