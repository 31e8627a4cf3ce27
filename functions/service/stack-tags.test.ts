import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestService, shopService, type TestService } from './service.fixture.ts'

let service: TestService
let admin = ''
beforeEach(async () => {
  service = await openTestService()
  admin = `token ${await service.issueToken('admin')}`
})
afterEach(() => service.close())

const listNames = async (tagName: string): Promise<readonly unknown[]> => {
  const { json } = await service.call(admin, `GET /api/user/stacks?tagName=${tagName}`)
  return (json['stacks'] as { readonly stackName: unknown }[]).map(({ stackName }) => stackName)
}

test('a tag may have the name __proto__, and names of the prototype are not found as tags', async () => {
  expect([await listNames('__proto__'), await listNames('constructor')]).toEqual([[], []])
  const tags = '{"__proto__":"web","owner":"me"}'
  const set = await service.call(admin, `PATCH ${shopService}/tags`, tags)
  expect(set.status).toBe(200)
  const { json } = await service.call(admin, `GET ${shopService}`)
  expect(JSON.stringify(json['tags'])).toBe(tags)
  expect(await listNames('__proto__')).toEqual(['dev'])
})

test('a tag with the name __proto__ and a value that is no text is refused', async () => {
  const tags = '{"__proto__":{"owner":"me"}}'
  const refused = await service.call(admin, `PATCH ${shopService}/tags`, tags)
  expect(refused.status).toBe(400)
  expect(refused.json['message']).toContain('body.__proto__: must be a text')
})
