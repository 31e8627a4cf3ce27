/**
 * A sandbox of the local cloud with a repository host and a webhook. The host is a server on
 * loopback, which environment variables of the functions allow here.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect } from 'vitest'
import { createToken } from '../../shared/api/issue-token.ts'
import { outboundVariables } from '../../shared/config/outbound-variables.ts'
import type { AwsSettings } from '../../shared/platform/aws/clients.ts'
import {
  createPackageFiles,
  sendWebhookDelivery,
  type GithubHost,
  type RepositoryFiles,
  signDelivery,
  startGithubHost,
} from '../e2e/github-host.ts'
import { createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, type CloudSandboxOptions, createCloudSandbox } from './cloud-sandbox.ts'

const goldSdk = readFileSync(resolve(import.meta.dirname, '../golden/provider/sdk.js'), 'utf8')

/** The secret of the webhook. */
export const webhookSecret = 'a secret that both sides know'
/** The credential of the webhook for the repository host. */
const hostCredential = 'ghs_credential'

/** A sandbox whose webhook has rules. */
export interface WebhookSandbox {
  readonly sandbox: CloudSandbox
  readonly github: GithubHost
  /** Calls the API of the installation over HTTP. */
  readonly callApi: (method: string, path: string, body: object) => Promise<void>
  /** The address of the webhook. */
  readonly webhookUrl: string
  /** Sends a delivery that must be accepted, and returns the key of its first request. */
  readonly send: (event: string, payload: object) => Promise<string>
  /** Sends a delivery that must be accepted, and waits for the end of its deployment. */
  readonly sendAndAwait: (
    event: string,
    payload: object,
  ) => ReturnType<CloudSandbox['control']['awaitEnd']>
  readonly remove: () => Promise<void>
}

/** Creates the sandbox. `rulesOf` returns the rules of the webhook for the stack of the sandbox. */
export async function createWebhookSandbox(
  aws: AwsSettings,
  rulesOf: (stack: string) => readonly object[],
  options: Pick<CloudSandboxOptions, 'visibilitySeconds' | 'settings' | 'config'> = {},
): Promise<WebhookSandbox> {
  const bundles = await createBundles()
  const github = await startGithubHost(hostCredential)
  const sandbox = await createCloudSandbox('small', {
    ...options,
    aws,
    bundleOf: bundles.findBundle,
    sdk: 'above',
    variables: {
      [outboundVariables.allowedNetworks]: '127.0.0.1/32',
      [outboundVariables.plainHttp]: '1',
    },
  })
  const { token } = await createToken(sandbox.control.platform, { name: 'test', role: 'admin' })
  const callApi: WebhookSandbox['callApi'] = async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const url = sandbox.cloud.apiUrl + path
    const reply = await fetch(url, { method, headers, body: JSON.stringify(body) })
    expect([reply.status, await reply.text()]).toEqual([200, expect.any(String)])
  }
  await callApi('PUT', '/v1/webhooks/site', {
    form: 'github',
    secrets: [webhookSecret],
    credential: hostCredential,
    apiUrl: github.origin,
    rules: rulesOf(sandbox.stack),
  })
  const hook = `${sandbox.cloud.webhookUrl}site`
  const send: WebhookSandbox['send'] = async (event, payload) => {
    const { status, body } = await sendWebhookDelivery(
      hook,
      signDelivery(webhookSecret, event, payload),
    )
    expect([status, body]).toMatchObject([202, { kind: 'accepted' }])
    const [firstRequest] = body['asked'] as { request: string }[]
    return firstRequest?.request ?? ''
  }
  return {
    sandbox,
    github,
    callApi,
    webhookUrl: hook,
    send,
    sendAndAwait: async (event, payload) => awaitRequest(sandbox, await send(event, payload)),
    remove: async () => {
      github.close()
      await sandbox.remove()
      bundles.remove()
    },
  }
}

/** Waits for the end of a request. An error contains the log of the functions. */
export function awaitRequest(
  { control, stack, readLog }: CloudSandbox,
  request: string,
): ReturnType<CloudSandbox['control']['awaitEnd']> {
  return control.awaitEnd(stack, request, 240_000).catch((thrown: unknown) => {
    throw new Error(readLog(), { cause: thrown })
  })
}

/**
 * Returns the files of the repository: the project is in a subfolder, with a package that npm must
 * install. `scripts`: the scripts of the program's own package.json.
 */
export const createSiteRepository = (
  value: number,
  stackFile: string,
  scripts: Readonly<Record<string, string>> = {},
): RepositoryFiles => ({
  ...createPackageFiles('infra', scripts),
  'README.md': 'a site\n',
  'infra/Pulumi.yaml': 'name: small\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n',
  'infra/Pulumi.dev.yaml': stackFile,
  'infra/index.js': `const { Thing } = require('./gold')\nif (require('dep') !== 1) throw new Error('no dep')\nexports.serial = new Thing('thing', { value: ${value} }).serial\n`,
  'infra/gold.js': goldSdk,
})
