import { toCamelCase } from './camel-case.ts'
import type { FunctionSignature } from './read-schema-messages.ts'

/** The property with the result of a function, unless the function returns an object. */
export const functionResultKey = 'result'

/**
 * Returns the names of a function's arguments in Pulumi, in order. The argument for the variadic
 * parameter, a list, is the last one. Parameters without a name are numbered. Equal names get
 * numbers as suffixes.
 */
export function nameArguments({
  parameters,
  variadicParameter,
}: FunctionSignature): readonly string[] {
  const allParameters =
    variadicParameter === undefined ? parameters : [...parameters, variadicParameter]
  const names: string[] = []
  for (const [index, { name }] of allParameters.entries()) {
    const base = name === '' ? `arg${index + 1}` : toCamelCase(name)
    let uniqueName = base
    for (let number = 2; names.includes(uniqueName); number += 1) uniqueName = `${base}${number}`
    names.push(uniqueName)
  }
  return names
}
