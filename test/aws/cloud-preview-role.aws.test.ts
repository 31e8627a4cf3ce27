/**
 * Pull requests of a stack with a preview role, in the local cloud. The program of a pull request
 * is unreviewed, so its files do not choose its role.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClientConfig } from '../../shared/platform/aws/clients.ts'
import { createPullRequestBody, createPushBody, repository } from '../e2e/github-host.ts'
import { waitUntil } from '../e2e/sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'
import { credentialsFile, readSavedCredentials, saveCredentialsCode } from './saved-credentials.ts'
import {
  createSiteRepository,
  createWebhookSandbox,
  type WebhookSandbox,
} from './webhook-sandbox.ts'

const installation = `t${randomBytes(4).toString('hex')}`
const toArn = (name: string): string => `arn:aws:iam::123456789012:role/${installation}-${name}`
const [deployName, previewName] = ['deploy-shop', 'deploy-shop-preview'] as const
const previewLine = `  antichain:previewRole: ${toArn(previewName)}\n`
const services = ['DYNAMODB', 'SQS', 'S3', 'KMS', 'SCHEDULER', 'STS'] as const

describeWithServices('pull requests of a stack with roles', services, settings => {
  let webhook: WebhookSandbox

  beforeAll(async () => {
    const rulesOf = (stack: string): readonly object[] => [
      { on: 'push', repository, branches: ['main'], stack, folder: 'infra' },
      { on: 'pull-request', repository, stack, folder: 'infra' },
    ]
    webhook = await createWebhookSandbox(settings(), rulesOf, {
      settings: { 'antichain:installation': installation },
      config: {
        'antichain:role': toArn(deployName),
        'antichain:previewRole': toArn(previewName),
      },
    })
  }, 120_000)
  afterAll(() => webhook?.remove(), 120_000)

  /** Commits a program that saves its credentials, with this text of its stack file. */
  function commitWith(stackFile: string): string {
    const files = createSiteRepository(1, stackFile)
    return webhook.github.commit({
      ...files,
      'infra/index.js': `${String(files['infra/index.js'])}${saveCredentialsCode}`,
    })
  }

  /** Returns the ARN of the role whose credentials the last program saved, and removes them. */
  async function takeCallerArn(): Promise<string | undefined> {
    const { cloudFolder } = webhook.sandbox
    const { AccessKeyId, SecretAccessKey, Token } = readSavedCredentials(cloudFolder).credentials
    rmSync(join(cloudFolder, credentialsFile))
    const sts = new STSClient({
      ...createClientConfig(settings(), 'STS'),
      credentials: {
        accessKeyId: AccessKeyId,
        secretAccessKey: SecretAccessKey,
        sessionToken: Token,
      },
    })
    return (await sts.send(new GetCallerIdentityCommand({}))).Arn
  }

  const countEndedGenerators = (): number =>
    webhook.sandbox.calls.filter(
      ({ name, outcome }) => name === 'step-generator' && outcome.kind === 'died',
    ).length

  const toSession = (name: string): unknown =>
    expect.stringContaining(`:assumed-role/${installation}-${name}/`)

  test('a push deploys with the role of the stack', async () => {
    const commit = commitWith(webhook.sandbox.stackFile)
    const end = await webhook.sendAndAwait('push', createPushBody(commit))
    expect(end, webhook.sandbox.readLog()).toMatchObject({ result: 'succeeded' })
    expect(await takeCallerArn()).toEqual(toSession(deployName))
  }, 300_000)

  test('a preview assumes the reviewed preview role, although its files name another', async () => {
    const { stackFile } = webhook.sandbox
    const commit = commitWith(stackFile.replaceAll(previewName, deployName))
    const end = await webhook.sendAndAwait('pull_request', createPullRequestBody(7, commit))
    expect(end, webhook.sandbox.readLog()).toMatchObject({ kind: 'previewed', result: 'succeeded' })
    expect(await takeCallerArn()).toEqual(toSession(previewName))
    // No deployment of the stack may run in a process that the unreviewed program could change.
    await waitUntil(() => countEndedGenerators() > 0, { condition: 'the end of the environment' })
  }, 300_000)

  test('without a reviewed preview role the preview is refused, and the status of the commit has the error code', async () => {
    const { stackFile, cloudFolder } = webhook.sandbox
    const push = createPushBody(commitWith(stackFile.replace(previewLine, '')))
    expect(await webhook.sendAndAwait('push', push)).toMatchObject({ result: 'succeeded' })
    expect(await takeCallerArn()).toEqual(toSession(deployName))
    const commit = commitWith(stackFile)
    const end = await webhook.sendAndAwait('pull_request', createPullRequestBody(8, commit))
    expect(end).toMatchObject({ kind: 'refused', code: 'PREVIEW_ROLE_MISSING' })
    expect(existsSync(join(cloudFolder, credentialsFile))).toBe(false)
    await waitUntil(() => webhook.github.listStatuses(commit).length > 0, { condition: 'a status' })
    expect(webhook.github.listStatuses(commit).at(-1)).toMatchObject({
      state: 'error',
      description: 'not started: PREVIEW_ROLE_MISSING',
    })
  }, 300_000)
})
