import { expect, test } from 'vitest'
import { nameInstances } from './name-instances.ts'
import { readTfstate } from './read-tfstate.ts'

const provider = 'provider["registry.opentofu.org/hashicorp/random"]'

/** Reads the instances of a state. Each resource has a name, a module and keys of its instances. */
function readInstances(...resources: readonly (readonly [string, string, readonly unknown[]])[]) {
  const json = {
    version: 4,
    resources: resources.map(([name, module, keys]) => ({
      mode: 'managed',
      type: 'random_pet',
      provider,
      name,
      ...(module === '' ? {} : { module }),
      instances: keys.map(key => ({ attributes: {}, ...(key === null ? {} : { index_key: key }) })),
    })),
  }
  return readTfstate(JSON.stringify(json), 'a.tfstate').instances
}

test('names consist of modules, name and keys', () => {
  const instances = readInstances(
    ['dog', '', [null]],
    ['cat', '', [0, 1]],
    ['cow', '', ['eu', 'us']],
    ['fox', 'module.a.module.b["k"]', [0]],
  )
  expect(Object.fromEntries(nameInstances(instances, new Map()))).toEqual({
    'random_pet.dog': 'dog',
    'random_pet.cat[0]': 'cat-0',
    'random_pet.cat[1]': 'cat-1',
    'random_pet.cow["eu"]': 'cow-eu',
    'random_pet.cow["us"]': 'cow-us',
    'module.a.module.b["k"].random_pet.fox[0]': 'a-b-k-fox-0',
  })
})

test('equal names of one type get numbers', () => {
  const instances = readInstances(['dog-0', '', [null]], ['dog', '', [0]], ['dog', '', ['0']])
  expect([...nameInstances(instances, new Map()).values()]).toEqual(['dog-0', 'dog-0-2', 'dog-0-3'])
})

test('names of the user take precedence over generated ones', () => {
  const instances = readInstances(['dog', '', [null]], ['cat', '', [null]])
  const names = nameInstances(instances, new Map([['random_pet.cat', 'dog']]))
  expect(Object.fromEntries(names)).toEqual({ 'random_pet.cat': 'dog', 'random_pet.dog': 'dog-2' })
})

test('a name of the user for an unknown address, and one name for two resources, are refused', () => {
  const instances = readInstances(['dog', '', [null]], ['cat', '', [null]])
  expect(() => nameInstances(instances, new Map([['random_pet.cow', 'x']]))).toThrow(
    /'random_pet.cow', which is not in the state/,
  )
  const equalNames = new Map([
    ['random_pet.dog', 'x'],
    ['random_pet.cat', 'x'],
  ])
  expect(() => nameInstances(instances, equalNames)).toThrow(/the name 'x' to several resources/)
})
