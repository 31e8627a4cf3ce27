import { expect, test } from 'vitest'
import { stackIdOf } from '../../shared/records/ids.ts'
import { dashboardAddressOf } from './dashboard-address.ts'

test('the address of a dashboard names a stack, or is its start page', () => {
  const stack = stackIdOf('shop', 'dev')
  expect(dashboardAddressOf('http://127.0.0.1:7000/', stack)).toBe(
    'http://127.0.0.1:7000/#/stacks/shop/dev',
  )
  expect(dashboardAddressOf('http://127.0.0.1:7000', undefined)).toBe('http://127.0.0.1:7000/')
})
