/**
 * The login of a CI job to the API of the local cloud. The bundle of the function verifies tokens
 * of a real issuer, under the permissions of its role.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createToken } from '../../functions/api/issue-token.ts'
import { outboundVariables } from '../../shared/config/outbound-variables.ts'
import { createSandbox, requireSuccess, type Sandbox } from '../e2e/sandbox.ts'
import { startLocalIssuer } from '../integration/cli/local-issuer.ts'
import { type CloudSandbox, createBundles, createCloudSandbox } from './cloud-sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'

describeWithServices('login of CI jobs', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: ReturnType<typeof createBundles>
  let sandbox: CloudSandbox
  let issuer: Awaited<ReturnType<typeof startLocalIssuer>>
  let admin: Sandbox
  let job: Sandbox
  beforeAll(async () => {
    bundles = createBundles()
    issuer = await startLocalIssuer({ repository: 'acme/shop' })
    sandbox = await createCloudSandbox('shop', {
      aws: settings(),
      bundleOf: bundles.findBundle,
      variables: {
        [outboundVariables.allowedNetworks]: '127.0.0.1/32',
        [outboundVariables.plainHttp]: '1',
      },
    })
    admin = createSandbox(undefined, { sdk: false })
    job = createSandbox(undefined, { sdk: false })
    const { token } = await createToken(sandbox.control.platform, { name: 'admin', role: 'admin' })
    const env = { ANTICHAIN_TOKEN: token }
    requireSuccess(await admin.run(['login', sandbox.cloud.apiUrl], { env }))
  }, 120_000)
  afterAll(async () => {
    issuer?.close()
    for (const client of [admin, job]) client?.remove()
    await sandbox?.remove()
    bundles?.remove()
  }, 120_000)

  test('a job gets the permissions of its rule, and a rotated token works with both secrets', async () => {
    const rule = ['--claim', 'repository=acme/shop', '--role', 'read', '--for', 'shop/dev']
    const create = ['federation', 'create', 'shop', '--issuer', issuer.issuer, ...rule]
    requireSuccess(await admin.run(create))
    const login = ['login', sandbox.cloud.apiUrl, '--oidc']
    const loggedIn = requireSuccess(await job.run(login, { env: issuer.jobVariables }))
    expect(loggedIn.err).toContain("as 'shop: runner' (role read)")
    const who = JSON.parse(requireSuccess(await job.run(['whoami', '--json'])).out) as object
    expect(who).toMatchObject({ role: 'read', stacks: ['shop/dev'] })
    const audited = await sandbox.control.platform.audit.read(0, 2)
    expect(audited.map(({ who: text, status }) => [text, status])).toEqual([
      [expect.stringContaining(`shop: runner of ${issuer.issuer} (`), 201],
      [expect.stringContaining(`shop: runner of ${issuer.issuer} (`), undefined],
    ])
    issuer.state.claims = { repository: 'eve/shop' }
    const refused = await job.run(login, { env: issuer.jobVariables })
    expect([refused.exit, refused.err]).toEqual([3, expect.stringContaining('OIDC_TOKEN_FOREIGN')])
    const first = requireSuccess(await admin.run(['token', 'create', 'ci', '--role', 'read']))
    const second = requireSuccess(await admin.run(['token', 'rotate', 'ci']))
    for (const { out } of [first, second])
      requireSuccess(await job.run(['login', sandbox.cloud.apiUrl, '--token', out.trim()]))
  }, 120_000)
})
