import type {
  PropertySpec,
  ResourceSpec,
} from '../../../shared/providers/package-schema/package-schema.ts'
import {
  formatDoc,
  formatInterface,
  formatPropertyKey,
  formatValueType,
  indent,
} from './declaration-text.ts'
import type { TypeFormatter } from './type-text.ts'

/** Returns the declarations of a resource: its class, and the interfaces of its arguments. */
export function declareResource(
  name: string,
  spec: ResourceSpec,
  formatter: TypeFormatter,
): readonly string[] {
  const { isComponent = false, stateInputs } = spec
  const options = isComponent ? 'pulumi.ComponentResourceOptions' : 'pulumi.CustomResourceOptions'
  const hasGet = !isComponent
  const stateType = hasGet && stateInputs !== undefined ? `${name}State` : undefined
  const get = `static get(name: string, id: pulumi.Input<pulumi.ID>, state?: ${stateType ?? 'undefined'}, opts?: ${options}): ${name}`
  const properties = Object.entries(spec.properties ?? {})
  return [
    ...formatDoc(spec),
    `export declare class ${name} extends pulumi.${isComponent ? 'ComponentResource' : 'CustomResource'} {`,
    ...indent([
      ...(hasGet
        ? ['/** Returns an existing resource by its id. The state is optional. */', get]
        : []),
      ...declareIsInstance(name),
      ...properties.flatMap(([key, property]) =>
        declareOutput(key, property, { formatter, isRequired: isIn(spec.required, key) }),
      ),
      ...declareConstructor(`${name}Args`, options, findRequiredInputs(spec).length > 0),
    ]),
    '}',
    ...declareArgs(name, spec, formatter),
    ...(stateType === undefined || stateInputs === undefined
      ? []
      : formatInterface(stateType, stateInputs, { use: 'input', formatter, required: [] })),
  ]
}

/** Returns the declarations of the provider of a package. */
export function declareProviderClass(
  spec: ResourceSpec,
  formatter: TypeFormatter,
): readonly string[] {
  // Inputs other than strings are registered as JSON, so only strings are usable outputs.
  const properties = Object.entries(spec.properties ?? {}).filter(
    ([, { type }]) => type === 'string',
  )
  return [
    ...formatDoc(spec),
    'export declare class Provider extends pulumi.ProviderResource {',
    ...indent([
      ...declareIsInstance('Provider'),
      ...properties.flatMap(([key, property]) =>
        declareOutput(key, property, { formatter, isRequired: isIn(spec.required, key) }),
      ),
      ...declareConstructor(
        'ProviderArgs',
        'pulumi.ResourceOptions',
        findRequiredInputs(spec).length > 0,
      ),
    ]),
    '}',
    ...declareArgs('Provider', spec, formatter),
  ]
}

/** Returns the definition of a resource class in JavaScript. */
export function defineResource(name: string, token: string, spec: ResourceSpec): readonly string[] {
  const { aliases = [], isComponent, properties = {} } = spec
  const aliasTypes = aliases.flatMap(({ type }) => (type === undefined ? [] : [type]))
  const description = {
    type: token,
    inputs: describeInputs(spec, false),
    outputs: Object.keys(properties),
    ...describeSecrets(properties),
    ...(aliasTypes.length > 0 && { aliases: aliasTypes }),
    ...(isComponent === true && { isComponent }),
  }
  return [
    `exports.${name} = runtime.createResource(${JSON.stringify(name)}, ${formatJson(description)})`,
  ]
}

/** Returns the definition of the provider class in JavaScript. */
export function defineProvider(packageName: string, spec: ResourceSpec): readonly string[] {
  const description = {
    inputs: describeInputs(spec, true),
    ...describeSecrets(spec.inputProperties ?? {}),
  }
  const text = JSON.stringify(packageName)
  return [
    `exports.Provider = runtime.createProvider(${text}, ${formatJson(description)})`,
    `runtime.registerProvider(${text}, exports.Provider)`,
  ]
}

/** Returns JSON on several lines. */
export function formatJson(json: unknown): string {
  return JSON.stringify(json, null, 2)
}

/** Describes what replaces a missing value: environment variables, or else the default. */
export function describeDefault(spec: PropertySpec): object {
  const env = spec.defaultInfo?.environment ?? []
  return {
    ...(spec.default !== undefined && { default: spec.default }),
    ...(env.length > 0 && { env }),
    ...(spec.type === 'string' && env.length > 0 && { isText: true }),
  }
}

function describeInputs(spec: ResourceSpec, isProvider: boolean): object {
  const required = findRequiredInputs(spec)
  return Object.fromEntries(
    Object.entries(spec.inputProperties ?? {}).map(([name, property]) => [
      name,
      {
        ...(required.includes(name) && { isRequired: true }),
        ...(property.const !== undefined && { const: property.const }),
        ...describeDefault(property),
        ...(property.secret === true && { isSecret: true }),
        ...(isProvider && property.type !== 'string' && { isJson: true }),
      },
    ]),
  )
}

function describeSecrets(properties: Readonly<Record<string, PropertySpec>>): object {
  const secrets = Object.entries(properties).flatMap(([name, { secret }]) =>
    secret === true ? [name] : [],
  )
  return secrets.length > 0 ? { secrets } : {}
}

/** Returns the inputs that a program must set: they have neither a constant nor a default. */
function findRequiredInputs(spec: ResourceSpec): readonly string[] {
  return (spec.requiredInputs ?? []).filter(name => {
    const property = spec.inputProperties?.[name]
    return property?.const === undefined && property?.default === undefined
  })
}

function declareArgs(
  name: string,
  spec: ResourceSpec,
  formatter: TypeFormatter,
): readonly string[] {
  const object = {
    description: `The arguments of ${name}.`,
    properties: spec.inputProperties ?? {},
  }
  const required = findRequiredInputs(spec)
  return formatInterface(`${name}Args`, object, { use: 'input', formatter, required })
}

function declareIsInstance(name: string): readonly string[] {
  return [
    '/** Returns true for a resource of this type, of any copy of the SDK. */',
    `static isInstance(obj: any): obj is ${name}`,
  ]
}

function declareOutput(
  name: string,
  spec: PropertySpec,
  { formatter, isRequired }: { formatter: TypeFormatter; isRequired: boolean },
): readonly string[] {
  const type = `${formatValueType(spec, 'output', formatter)}${isRequired ? '' : ' | undefined'}`
  return [...formatDoc(spec), `readonly ${formatPropertyKey(name)}: pulumi.Output<${type}>`]
}

function declareConstructor(
  argsType: string,
  options: string,
  isRequired: boolean,
): readonly string[] {
  return [`constructor(name: string, args${isRequired ? '' : '?'}: ${argsType}, opts?: ${options})`]
}

function isIn(names: readonly string[] | undefined, name: string): boolean {
  return names?.includes(name) === true
}
