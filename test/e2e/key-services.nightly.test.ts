/** Stacks under keys of Azure Key Vault and Google Cloud KMS, used by the command line. */
import { afterAll, beforeAll, describe } from 'vitest'
import { createAzureServers } from '../key-services/azure-servers.ts'
import { createGoogleServers } from '../key-services/google-servers.ts'
import { type LoopbackCloud, startLoopbackCloud } from '../key-services/loopback-cloud.ts'
import { testStackUnderKey } from '../key-services/stack-under-key.ts'

const ring = 'projects/p-1/locations/global/keyRings/stacks/cryptoKeys'
const vault = 'azurekeyvault://acme.vault.azure.net/keys'

const azure = createAzureServers(['pulumi', 'other'])
const google = createGoogleServers([`${ring}/pulumi`, `${ring}/other`])

let cloud: LoopbackCloud
beforeAll(async () => {
  cloud = await startLoopbackCloud([...azure.servers, ...google.servers])
})
afterAll(() => cloud.close())

describe.each([
  {
    service: azure,
    keys: vault,
    malformedUrl: 'azurekeyvault://acme/pulumi',
    envWithoutLogin: { AZURE_CLIENT_SECRET: 'wrong' },
  },
  {
    service: google,
    keys: `gcpkms://${ring}`,
    malformedUrl: `gcpkms://${ring}`,
    envWithoutLogin: { GOOGLE_CREDENTIALS: '{"type":"service_account"}' },
  },
])('a stack under $keys', ({ service, keys, ...others }) => {
  testStackUnderKey({
    url: `${keys}/pulumi`,
    otherUrl: `${keys}/other`,
    absentUrl: `${keys}/absent`,
    env: () => ({ ...cloud.env, ...service.env }),
    envWithoutNetwork: { HTTPS_PROXY: 'http://127.0.0.1:9' },
    deny: () => {
      service.setDenied(true)
      return {}
    },
    allow: () => service.setDenied(false),
    listBodies: () => cloud.listBodies(),
    ...others,
  })
})
