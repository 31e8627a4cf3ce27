import { expect, test } from 'vitest'
import { hrefOf, parseRoute } from './page-route.ts'

test('each page has an address that leads back to it, also with special characters in names', () => {
  const names = { project: 'shop', stack: 'a/b %' }
  for (const route of [
    { kind: 'stacks' },
    { kind: 'stack', ...names, tab: 'history' },
    { kind: 'stack', ...names, tab: 'resources', view: 'graph' },
    { kind: 'stack', ...names, tab: 'resources', view: 'table', resource: 'urn:a/b::c d' },
    { kind: 'deployment', ...names, number: 12 },
    { kind: 'diff', ...names, from: 0, to: 3 },
    { kind: 'plan', ...names, request: 'push/1 of main' },
    { kind: 'search', text: 'a/b %' },
    { kind: 'administration', tab: 'audit' },
  ] as const)
    expect(parseRoute(hrefOf(route))).toEqual(route)
})

test('an empty address shows all stacks, and a stack without a tab its resources', () => {
  expect(parseRoute('')).toEqual({ kind: 'stacks' })
  expect(parseRoute('#/')).toEqual({ kind: 'stacks' })
  expect(parseRoute('#/stacks/shop/dev')).toMatchObject({ kind: 'stack', tab: 'resources' })
})

test.each([
  '#/tokens',
  '#/stacks/shop',
  '#/stacks/shop/dev/secrets',
  '#/stacks/shop/dev/history/1',
  '#/stacks/shop/dev/diff/1',
  '#/stacks/shop/dev/diff/1/x',
  '#/administration/x',
  '#/stacks/shop/dev/resources/list',
  '#/stacks/shop/dev/resources/tree/urn/x',
  '#/stacks/shop/dev/deployments/0',
  '#/stacks/shop/dev/deployments/1/2',
  '#/stacks/%E0%A4%A/dev/deployments/x',
])('the address %s names no page', fragment => {
  expect(parseRoute(fragment).kind).toBe('unknown')
})
