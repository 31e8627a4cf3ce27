import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSandbox, requireSuccess, type Sandbox } from './sandbox.ts'

/** More commands than a machine has cores. Each of them wants to own the store for a moment. */
const commandCount = 24

let sandbox: Sandbox

beforeEach(() => {
  sandbox = createSandbox('many')
})

afterEach(() => sandbox.remove())

test('many commands at the same time wait for the owner of the store, and all succeed', async () => {
  const names = Array.from({ length: commandCount }, (_, index) => `stack-${index}`)
  const results = await Promise.all(names.map(name => sandbox.run(['stack', 'init', name])))
  for (const result of results) requireSuccess(result)
  const { out } = requireSuccess(await sandbox.run(['stack', 'ls', '--json']))
  const listedNames = JSON.parse(out).map(({ name }: { readonly name: string }) => name)
  expect(listedNames.toSorted()).toEqual(names.toSorted())
}, 300_000)
