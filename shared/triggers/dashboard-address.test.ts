import { expect, test } from 'vitest'
import { stackIdOf } from '../records/ids.ts'
import { dashboardAddressOf } from './dashboard-address.ts'

test('the address of a dashboard names a stack, or is its start page', () => {
  const stack = stackIdOf('shop', 'dev')
  expect(dashboardAddressOf('http://127.0.0.1:7000/', stack)).toBe(
    'http://127.0.0.1:7000/#/stacks/shop/dev',
  )
  expect(dashboardAddressOf('http://127.0.0.1:7000', undefined)).toBe('http://127.0.0.1:7000/')
  const request = 'webhook hook id (1)'
  expect(dashboardAddressOf('https://d.test', stack, { kind: 'plan', request })).toBe(
    'https://d.test/#/stacks/shop/dev/plans/webhook%20hook%20id%20%281%29',
  )
  expect(dashboardAddressOf('https://d.test', stack, { kind: 'deployment', number: 7 })).toBe(
    'https://d.test/#/stacks/shop/dev/deployments/7',
  )
})
