import { afterEach, beforeEach, expect, test } from 'vitest'
import { federationLimits as limits } from '../../config/federation-limits.ts'
import type { OutboundPort } from '../../ports/outbound.ts'
import { silentLogger } from '../../platform/system/logger.ts'
import { createIssuerKeys, type IssuerKeys } from './issuer-keys.ts'
import { startIssuer, type TestIssuer } from './issuer.fixture.ts'

let issuer: TestIssuer
let keys: IssuerKeys
let nowMs = 0

beforeEach(async () => {
  nowMs = 1_000_000
  issuer = await startIssuer()
  keys = createKeys(issuer.outbound)
})
afterEach(() => issuer.close())

const createKeys = (outbound: OutboundPort): IssuerKeys =>
  createIssuerKeys({ outbound, clock: { monotonicMs: () => nowMs }, logger: silentLogger })
const find = (kid: string) => keys.find(issuer.issuer, { alg: 'RS256', kid })
const countRequests = (): number => issuer.listPaths().length
const unreachable = { code: 'OIDC_ISSUER_UNREACHABLE' }
const unknownKey = { code: 'ERR_JWKS_NO_MATCHING_KEY' }

test('concurrent calls share one request, and the keys are kept for a limited time', async () => {
  await Promise.all([find('1'), find('1'), find('1')])
  expect(issuer.listPaths()).toEqual(['/.well-known/openid-configuration', '/keys'])
  nowMs += limits.keyCacheMs - 1
  await find('1')
  expect(countRequests()).toBe(2)
  nowMs += 1
  await find('1')
  expect(countRequests()).toBe(4)
})

test('an unknown key causes a new request, but not a second one soon after it', async () => {
  await find('1')
  await issuer.rotate()
  await expect(find('2')).rejects.toMatchObject(unknownKey)
  expect(countRequests()).toBe(2)
  nowMs += limits.unknownKeyRetryMs
  await find('2')
  expect(countRequests()).toBe(4)
  await expect(find('1')).rejects.toMatchObject(unknownKey)
  await expect(find('none')).rejects.toMatchObject(unknownKey)
  expect(countRequests()).toBe(4)
})

test('a failed request keeps the earlier keys until their time has passed', async () => {
  await find('1')
  issuer.state.isFailing = true
  nowMs += limits.unknownKeyRetryMs
  await expect(find('none')).rejects.toMatchObject(unknownKey)
  await find('1')
  nowMs += limits.keyCacheMs
  await expect(find('1')).rejects.toMatchObject(unreachable)
})

test('an issuer that does not respond is called again after a pause', async () => {
  issuer.state.isFailing = true
  await expect(find('1')).rejects.toMatchObject(unreachable)
  await expect(find('1')).rejects.toMatchObject(unreachable)
  expect(countRequests()).toBe(1)
  issuer.state.isFailing = false
  nowMs += limits.failedIssuerRetryMs
  await find('1')
})

test('a configuration of another issuer and an address that must not be called are refused', async () => {
  await expect(
    keys.find(`${issuer.issuer}/other`, { alg: 'RS256', kid: '1' }),
  ).rejects.toMatchObject(unreachable)
  expect(issuer.listPaths()).toEqual(['/other/.well-known/openid-configuration'])
  await expect(keys.find('https://10.0.0.1', { alg: 'RS256', kid: '1' })).rejects.toMatchObject({
    ...unreachable,
    message: expect.not.stringContaining('private'),
  })
})
