import { capitalize, toCamelCase } from '../mapping/camel-case.ts'
import type { TerraformProgram } from './terraform-program.ts'

/** Names that have another meaning in the new program. */
const reservedNames = ['range', 'null', 'true', 'false', 'for', 'if', 'in', 'pulumi', 'this']

/**
 * Returns new names for the parts of a program, by their addresses. All parts of the new program
 * share one set of names. So a later part with a taken name gets a suffix: its kind, or its type.
 */
export function nameNodes(program: TerraformProgram): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const usedNames = new Set(reservedNames)
  const assign = (address: string, name: string, suffix: string): void => {
    const base = toCamelCase(name.replaceAll('-', '_')).replace(/^(?=\d)/, '_')
    let freeName = base
    for (let number = 1; usedNames.has(freeName); number += 1)
      freeName = `${base}${suffix}${number === 1 ? '' : number}`
    usedNames.add(freeName)
    names.set(address, freeName)
  }
  for (const { name } of program.variables) assign(`var.${name}`, name, 'Config')
  for (const { name } of program.locals) assign(`local.${name}`, name, 'Local')
  for (const { type, name } of program.resources)
    assign(`${type}.${name}`, name, capitalize(toCamelCase(type)))
  for (const { type, name } of program.dataSources)
    assign(`data.${type}.${name}`, name, capitalize(toCamelCase(type)))
  for (const { name, alias } of program.providers)
    assign(addressOfProvider(name, alias), alias ?? name, 'Provider')
  for (const { name } of program.outputs) assign(`output.${name}`, name, 'Output')
  return names
}

/** Returns the address of the configuration of a provider. */
export function addressOfProvider(name: string, alias: string | undefined): string {
  return `provider.${name}${alias === undefined ? '' : `.${alias}`}`
}
