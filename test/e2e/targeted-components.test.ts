import { afterEach, beforeEach, expect, test } from 'vitest'
import { initDevStack, upArgs } from './exported-state.ts'
import { createSandbox, requireSuccess, type RunningCommand, waitUntil } from './sandbox.ts'
import type { Sandbox } from './sandbox.ts'

const program = `'use strict'
const { Thing, pulumi } = require('./gold')
const value = Number(process.env.VALUE || 1)
const delay = Number(process.env.DELAY || 0)
class Group extends pulumi.ComponentResource {
  constructor(name) {
    super('case:index:Group', name, {})
    const parent = this
    const a = new Thing('a', { value, delay }, { parent })
    const b = new Thing('b', { value, delay }, { parent })
    this.registerOutputs({ a: a.value, b: b.value })
  }
}
new Group('group')
const found = new Thing('found', { value: 1 })
new Thing('read', {}, { id: found.id })
`

let sandbox: Sandbox

beforeEach(async () => {
  sandbox = createSandbox('small', { files: { 'index.js': program } })
  await initDevStack(sandbox)
  requireSuccess(await sandbox.run(upArgs))
})

afterEach(() => sandbox.remove())

const countUpdates = (): number =>
  sandbox.listChanges().filter(({ call }) => call === 'update').length

const startUp = (name: string): RunningCommand => {
  const urn = `urn:pulumi:dev::small::case:index:Group$gold:index:Thing::${name}`
  return sandbox.start([...upArgs, '--target', urn], {
    env: { VALUE: '2', DELAY: '8000', GOLD_ASKED: '1' },
  })
}

test('two deployments update children of one component at the same time, while both programs read a resource', async () => {
  const first = startUp('a')
  await waitUntil(() => countUpdates() === 1, { condition: 'the update of a' })
  const second = startUp('b')
  await waitUntil(() => countUpdates() === 2, { condition: 'both updates at the same time' })
  requireSuccess(await first.done)
  requireSuccess(await second.done)
  const exported = await sandbox.run(['stack', 'export', '-s', 'dev'])
  const { deployment } = JSON.parse(requireSuccess(exported).out) as {
    readonly deployment: { readonly resources: readonly Record<string, unknown>[] }
  }
  const outputsOf = (type: string, name: string): unknown =>
    deployment.resources.find(({ urn }) => String(urn).endsWith(`${type}::${name}`))?.['outputs']
  expect(outputsOf('Group', 'group')).toEqual({ a: 2, b: 2 })
  expect(outputsOf('Thing', 'a')).toMatchObject({ value: 2 })
  expect(outputsOf('Thing', 'b')).toMatchObject({ value: 2 })
})
