/**
 * The login of a CI job to the API of the local cloud. The function of the API verifies tokens that
 * a local issuer signs, under the permissions of its role.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createToken } from '../../shared/api/issue-token.ts'
import { outboundVariables } from '../../shared/config/outbound-variables.ts'
import { createSandbox, requireSuccess, type Sandbox } from '../e2e/sandbox.ts'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { startLocalIssuer } from '../integration/cli/local-issuer.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from './cloud-sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'
import { openServiceClient } from './service-client.ts'

describeWithServices('login of CI jobs', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: CloudBundles
  let sandbox: CloudSandbox
  let issuer: Awaited<ReturnType<typeof startLocalIssuer>>
  let admin: Sandbox
  let job: Sandbox
  beforeAll(async () => {
    bundles = await createBundles()
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

  describeWithCommands("Pulumi's own command line", [['go', 'version']], () => {
    test('logs in with the token of a job at an address whose function leaves the exchange to the API', async () => {
      issuer.state.claims = { repository: 'acme/shop' }
      const audience = 'urn:pulumi:org:organization'
      const rule = ['--claim', 'repository=acme/shop', '--role', 'preview', '--audience', audience]
      const create = ['federation', 'create', 'pulumi', '--issuer', issuer.issuer, ...rule]
      requireSuccess(await admin.run(create))
      const service = await openServiceClient(sandbox, 'shop')
      const withoutToken = { PULUMI_ACCESS_TOKEN: undefined }
      const login = async (token: string) =>
        service.pulumi(['login', sandbox.cloud.serviceUrl, '--oidc-token', token], withoutToken)
      try {
        requireSuccess(await login(await issuer.requestJwt(audience)))
        const who = requireSuccess(await service.pulumi(['whoami'], withoutToken))
        expect(who.out.trim()).toBe('pulumi-runner')
        const created = await service.pulumi(['stack', 'init', 'other'], withoutToken)
        expect(created.err).toContain('requires the role')
        const audited = await sandbox.control.platform.audit.read(0, 5)
        expect(audited).toContainEqual(expect.objectContaining({ from: '127.0.0.1', status: 201 }))
        issuer.state.claims = { repository: 'eve/shop' }
        expect((await login(await issuer.requestJwt(audience))).err).toContain('401')
      } finally {
        service.remove()
      }
    }, 300_000)
  })
})
