import { expect, test } from 'vitest'
import type { SecretsManager } from '../secrets/crypter.ts'
import { renameStackInState } from './edits/rename-stack-in-state.ts'
import { emptyDeployment } from './empty-deployment.ts'
import { recodeDeployment } from './snapshot-codec.ts'
import type { StoredDeployment } from './stored.ts'

const urn = (name: string, stack = 'dev') => `urn:pulumi:${stack}::shop::my:index:Group::${name}`
const lists = { a: null, b: [], c: [urn('x')] }
const state: StoredDeployment = {
  ...emptyDeployment,
  resources: [
    { urn: urn('x'), custom: false, type: 'my:index:Group' },
    { urn: urn('y'), custom: false, type: 'my:index:Group', propertyDependencies: lists },
  ],
}
const listsOf = ({ resources }: StoredDeployment) => resources?.[1]?.['propertyDependencies']

const manager: SecretsManager = {
  type: 'passphrase',
  digest: text => text,
  state: {},
  crypter: { encrypt: text => text, decrypt: text => text },
}

test.each(['kept', 'sealed', 'plaintext'] as const)(
  'an import or export with secrets "%s" keeps null in place of a list of property dependencies',
  async mode => {
    expect(listsOf(await recodeDeployment(state, manager, { manager, mode }))).toEqual(lists)
  },
)

test('a rename of the stack keeps null in place of a list of property dependencies', () => {
  const names = { project: 'shop', stack: 'dev' }
  const renamed = renameStackInState(state, names, { ...names, stack: 'qa' })
  expect(listsOf(renamed)).toEqual({ a: null, b: [], c: [urn('x', 'qa')] })
})
