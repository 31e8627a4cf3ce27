import { expect, test } from 'vitest'
import { exchangeRoute } from '../../shared/api/federation/exchange-route.ts'
import { openApiOf } from './open-api.ts'
import { routes } from './routes-table.ts'

interface Operation {
  readonly parameters?: readonly { readonly in: string; name: string; required: boolean }[]
  readonly requestBody?: { readonly required: boolean }
}

const { paths } = openApiOf(routes, [exchangeRoute]) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
)
const stackPath = '/v1/stacks/{project}/{stack}'

// The defect: each query parameter is described as optional.
test('the OpenAPI document requires the query parameters without which a call is refused', () => {
  const required = operations.flatMap(({ name, operation: { parameters = [] } }) => {
    const names = parameters.filter(field => field.in === 'query' && field.required)
    return names.length === 0 ? [] : [[name, names.map(field => field.name)]]
  })
  expect(Object.fromEntries(required)).toEqual({
    [`get ${stackPath}/diff`]: ['from', 'to'],
    [`get ${stackPath}/deployments/{number}/operations/changes`]: ['count'],
    [`get ${stackPath}/deployments/{number}/operations/records`]: ['urn'],
    'get /v1/audit/imported': ['source', 'entry'],
  })
})

// The defect: each body is described as required.
test('the OpenAPI document requires every body except the one of a cancellation', () => {
  const withBody = operations.filter(({ operation }) => operation.requestBody !== undefined)
  const optional = withBody.filter(({ operation }) => operation.requestBody?.required === false)
  expect(withBody.length).toBeGreaterThan(optional.length)
  expect(optional.map(({ name }) => name)).toEqual([
    `post ${stackPath}/deployments/{number}/cancel`,
  ])
})
