import { expect, test } from 'vitest'
import { awsVariables } from '../../shared/config/aws-resource-names.ts'
import type { StackRecord } from '../../shared/ports/catalog.ts'
import { type StackId, stackIdOf } from '../../shared/records/ids.ts'
import { withGroupBoundary } from './group-boundary.ts'

const record = { current: '' } as unknown as StackRecord
const catalog = { getStack: async (_id: StackId) => record }
const envOf = (installation: string, groups = 'payments=pay-*;web=site') => ({
  [awsVariables.installation]: installation,
  [awsVariables.groups]: groups,
})

test.each([
  ['shop_payments', 'pay-eu', 'site'],
  ['shop_web', 'site', 'pay-eu'],
  ['shop_web', 'site', 'other'],
  ['shop', 'other', 'pay-eu'],
])(
  'functions of %s read the project %s, and refuse the project %s with the name of its group',
  async (name, ownProject, foreignProject) => {
    const bounded = withGroupBoundary(envOf(name), catalog)
    expect(await bounded.getStack(stackIdOf(ownProject, 'dev'))).toBe(record)
    await expect(bounded.getStack(stackIdOf(foreignProject, 'dev'))).rejects.toMatchObject({
      code: 'STACK_GROUP_DIFFERENT',
      message: expect.stringContaining(`'organization/${foreignProject}/dev' is in the group`),
    })
  },
)

test('a catalog without groups stays as it is, and an invalid variable is refused', async () => {
  expect(withGroupBoundary(envOf('shop', ''), catalog)).toBe(catalog)
  expect(() => withGroupBoundary(envOf('shop', 'payments'), catalog)).toThrow('ANTICHAIN_GROUPS')
})
