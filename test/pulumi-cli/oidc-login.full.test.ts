import { expect, test } from 'vitest'
import { startIssuer } from '../../shared/api/federation/issuer.fixture.ts'
import { requireSuccess } from '../e2e/sandbox.ts'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { buildPulumiCli, cliVersions } from './build-cli.ts'
import { openStockClient } from './stock-client.ts'

const [version] = cliVersions
const serverEnv = {
  ANTICHAIN_OUTBOUND_NETWORKS: '127.0.0.1/32',
  ANTICHAIN_OUTBOUND_PLAIN: '1',
}

describeWithCommands("the login of CI jobs by Pulumi's command line", [['go', 'version']], () => {
  test('an OIDC token is exchanged for a token with the role of its rule', async () => {
    const issuer = await startIssuer()
    const client = await openStockClient(buildPulumiCli(version), 'small', { serverEnv })
    try {
      requireSuccess(await client.pulumi(['stack', 'init', 'dev']))
      const audience = 'urn:pulumi:org:organization'
      const create = [
        ...['federation', 'create', 'ci', '--issuer', issuer.issuer, '--audience', audience],
        ...['--claim', 'repository=acme/shop', '--role', 'preview'],
      ]
      requireSuccess(await client.antichain(create, { env: serverEnv }))
      const now = Math.floor(Date.now() / 1_000)
      const claims = { aud: audience, sub: 'job', iat: now, exp: now + 300 }
      const login = async (repository: string) => {
        const token = await issuer.sign({ ...claims, repository })
        return client.pulumi(['login', client.url, '--oidc-token', token], withoutToken)
      }
      const withoutToken = { PULUMI_ACCESS_TOKEN: undefined }
      expect((await login('acme/other')).err).toContain('401')
      requireSuccess(await login('acme/shop'))
      const who = requireSuccess(await client.pulumi(['whoami'], withoutToken))
      expect(who.out.trim()).toBe('ci-job')
      requireSuccess(await client.pulumi(['preview', '-s', 'dev'], withoutToken))
      const refused = await client.pulumi(['up', '--yes', '--skip-preview'], withoutToken)
      expect(refused.err).toContain('requires the role deploy')
    } finally {
      await client.remove()
      issuer.close()
    }
  }, 300_000)
})
