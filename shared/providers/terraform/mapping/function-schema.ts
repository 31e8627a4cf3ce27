import type { FunctionMessage, FunctionParameterMessage } from '../client/schema-messages.ts'
import type { FunctionSpec, PropertySpec } from '../../package-schema/package-schema.ts'
import type { CtyType } from '../values/type-system.ts'
import { capitalize } from './camel-case.ts'
import { nameArguments } from './function-names.ts'
import { readFunctionSignature } from './read-schema-messages.ts'
import type { TypeDeclarations } from './describe-properties.ts'

/**
 * Returns the schema of a provider's function. Its arguments are in order, and the variadic one is
 * a list at the end. A result that is no object is returned directly. Throws
 * TERRAFORM_PROVIDER_BUG for an invalid type.
 */
export function describeFunction(
  name: string,
  message: FunctionMessage,
  declarations: TypeDeclarations,
): FunctionSpec {
  const signature = readFunctionSignature(message)
  const names = nameArguments(signature)
  const { parameters, variadicParameter: variadic, returnType } = signature
  const properties: Record<string, PropertySpec> = {}
  const required: string[] = []
  for (const [index, parameter] of parameters.entries()) {
    const argument = names[index] ?? parameter.name
    properties[argument] = {
      ...declarations.describeType(parameter.type, name + capitalize(argument)),
      ...describeParameter(message.parameters[index]),
    }
    // A required argument cannot follow an optional one, so all arguments before a required one are
    // required, too.
    if (parameters.slice(index).some(({ allowsNull }) => !allowsNull)) required.push(argument)
  }
  if (variadic !== undefined) {
    const argument = names[parameters.length] ?? variadic.name
    const items = declarations.describeType(variadic.type, name + capitalize(argument))
    properties[argument] = {
      type: 'array',
      items,
      ...describeParameter(message.variadicParameter),
    }
  }
  const description = [message.summary, message.description.text].filter(text => text !== '')
  return {
    ...(description.length > 0 && { description: [...new Set(description)].join('\n\n') }),
    ...(names.length > 0 && {
      inputs: { type: 'object', properties, ...(required.length > 0 && { required }) },
      multiArgumentInputs: [...names],
    }),
    outputs: describeResult(declarations, returnType, `${name}Result`),
    ...(message.deprecationMessage !== '' && { deprecationMessage: message.deprecationMessage }),
  }
}

/** Returns the type of a result. The properties of an object become outputs of the function. */
function describeResult(
  declarations: TypeDeclarations,
  type: CtyType,
  typeName: string,
): NonNullable<FunctionSpec['outputs']> {
  if (type.kind !== 'object') return declarations.describeType(type, typeName)
  const properties = declarations.describeProperties(type, typeName)
  return {
    type: 'object',
    properties: Object.fromEntries([...properties].map(([name, { spec }]) => [name, spec])),
    required: [...properties.keys()],
  }
}

function describeParameter(
  message: FunctionParameterMessage | undefined,
): Pick<PropertySpec, 'description'> {
  const text = message?.description.text ?? ''
  return text === '' ? {} : { description: text }
}
