import { createError } from '../../../errors/error.ts'
import type { StateInstance } from './state-instances.ts'

/**
 * Returns the Pulumi name of each managed instance, by its Terraform address. For example,
 * `module.a.module.b.aws_instance.web[0]` gets `a-b-web-0`. `chosenNames`: the names that the user
 * chose, by address. Resources of one type get different names: a later one gets a number. Throws
 * CLI_USAGE for a chosen name of an unknown address, and for equal chosen names of one type.
 */
export function nameInstances(
  instances: readonly StateInstance[],
  chosenNames: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const managed = instances.filter(({ mode }) => mode === 'managed')
  const instancesByAddress = new Map(managed.map(instance => [instance.address, instance]))
  const usedKeys = new Set<string>()
  const names = new Map<string, string>()
  for (const [address, name] of chosenNames) {
    const instance = instancesByAddress.get(address)
    if (instance === undefined)
      throw createError('CLI_USAGE', `--names refers to '${address}', which is not in the state`)
    const key = uniqueKeyOf(instance, name)
    if (usedKeys.has(key))
      throw createError(
        'CLI_USAGE',
        `--names gives the name '${name}' to several resources of type '${instance.object.typeName}'`,
      )
    usedKeys.add(key)
    names.set(address, name)
  }
  for (const [address, instance] of instancesByAddress) {
    if (names.has(address)) continue
    const name = composeName(instance)
    let uniqueName = name
    for (let number = 2; usedKeys.has(uniqueKeyOf(instance, uniqueName)); number += 1)
      uniqueName = `${name}-${number}`
    usedKeys.add(uniqueKeyOf(instance, uniqueName))
    names.set(address, uniqueName)
  }
  return names
}

/** Returns the type and the name: a text that is equal for instances with equal URNs. */
function uniqueKeyOf({ object }: StateInstance, name: string): string {
  return `${object.typeName} ${name}`
}

function composeName({ modulePath, name, key }: StateInstance): string {
  const moduleParts = modulePath.flatMap(step => [
    step.name,
    ...(step.key === undefined ? [] : [String(step.key)]),
  ])
  return [...moduleParts, name, ...(key === undefined ? [] : [String(key)])].join('-')
}
