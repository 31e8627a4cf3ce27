import { expect, test } from 'vitest'
import { describeForeignResources } from './foreign-resources.ts'
import type { StoredDeployment } from './stored.ts'

const stateOf = (...stacks: readonly string[]): StoredDeployment =>
  ({
    resources: stacks.map(stack => ({ urn: `urn:pulumi:${stack}::a:b:C::name` })),
  }) as unknown as StoredDeployment

test('resources of another stack or project are counted, and the first one is named', () => {
  const names = { project: 'shop', stack: 'dev' }
  expect(describeForeignResources(stateOf('dev::shop', 'dev::shop'), names)).toBeUndefined()
  expect(describeForeignResources(stateOf('dev::shop', 'prod::shop'), names)).toContain(
    'urn:pulumi:prod::shop::a:b:C::name. ',
  )
  expect(describeForeignResources(stateOf('dev::other', 'd::shop', 'x::y'), names)).toContain(
    'urn:pulumi:dev::other::a:b:C::name and 2 more',
  )
})
