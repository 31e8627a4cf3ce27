import {
  CreateBucketCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3'
import { BlobServiceClient, StorageSharedKeyCredential } from '@azure/storage-blob'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { emulatorAzureAccount } from '../../infra/emulators/emulators.ts'

/** The schemes of self-managed backends. */
export type BackendScheme = 'file' | 's3' | 'gs' | 'azblob'

/** The address of an empty backend, and the variables with which both command lines use it. */
export interface BackendAddress {
  readonly address: string
  readonly env: Readonly<Record<string, string>>
  /** Returns the bytes of each object of the backend. */
  readonly readObjects: () => Promise<readonly Uint8Array[]>
}

/** The variables with which both command lines use the legacy layout. */
export const legacyLayoutEnv = {
  PULUMI_DIY_BACKEND_LEGACY_LAYOUT: 'true',
  PULUMI_DIY_BACKEND_IGNORE_DEPRECATION_ERROR: 'true',
} as const

/** Creates a folder, a bucket of an emulator, or a container of an emulator. */
export async function createBackendAddress(
  scheme: BackendScheme,
  folder: string,
): Promise<BackendAddress> {
  const bucket = `antichain-${process.pid}-${Date.now()}`
  if (scheme === 'file') {
    mkdirSync(folder, { recursive: true })
    return { address: `file://${folder}`, env: {}, readObjects: async () => readFiles(folder) }
  }
  if (scheme === 's3') return createS3Bucket(bucket)
  return scheme === 'gs' ? createGoogleBucket(bucket) : createAzureContainer(bucket)
}

function readFiles(folder: string): readonly Uint8Array[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name)))
}

async function createS3Bucket(bucket: string): Promise<BackendAddress> {
  const endpoint = process.env['ANTICHAIN_S3_ENDPOINT'] ?? ''
  const client = new S3Client({ endpoint, forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  const query = `endpoint=${encodeURIComponent(endpoint)}&s3ForcePathStyle=true&region=us-east-1`
  return {
    address: `s3://${bucket}/state?${query}`,
    env: {},
    readObjects: async () => {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
      const objects = Contents.map(async ({ Key }) => {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key }))
        return (await Body?.transformToByteArray()) ?? new Uint8Array()
      })
      return Promise.all(objects)
    },
  }
}

async function createGoogleBucket(bucket: string): Promise<BackendAddress> {
  const endpoint = process.env['ANTICHAIN_GCS_ENDPOINT'] ?? ''
  const bucketsUrl = `${endpoint}/storage/v1/b`
  const created = await fetch(`${bucketsUrl}?project=test`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: bucket }),
  })
  if (!created.ok) throw new Error(`the bucket ${bucket} was not created: ${created.status}`)
  // Pulumi's command line requires credentials, which the emulator does not check.
  const env = { STORAGE_EMULATOR_HOST: new URL(endpoint).host, GOOGLE_OAUTH_ACCESS_TOKEN: 'fake' }
  const readObjects = async (): Promise<readonly Uint8Array[]> => {
    const listed = await fetch(`${bucketsUrl}/${bucket}/o`)
    const { items = [] } = (await listed.json()) as { items?: readonly { name: string }[] }
    const objects = items.map(async ({ name }) => {
      const response = await fetch(
        `${bucketsUrl}/${bucket}/o/${encodeURIComponent(name)}?alt=media`,
      )
      return response.bytes()
    })
    return Promise.all(objects)
  }
  return { address: `gs://${bucket}/state`, env, readObjects }
}

async function createAzureContainer(container: string): Promise<BackendAddress> {
  const { host } = new URL(process.env['ANTICHAIN_AZBLOB_ENDPOINT'] ?? 'http://none')
  const { name, key } = emulatorAzureAccount
  const credential = new StorageSharedKeyCredential(name, key)
  const service = new BlobServiceClient(`http://${host}/${name}`, credential)
  const { containerClient } = await service.createContainer(container)
  const query = `storage_account=${name}&localemu=true&protocol=http&domain=${host}`
  const env = { AZURE_STORAGE_ACCOUNT: name, AZURE_STORAGE_KEY: key }
  const readObjects = async (): Promise<readonly Uint8Array[]> => {
    const objects: Uint8Array[] = []
    for await (const { name: blob } of containerClient.listBlobsFlat())
      objects.push(await containerClient.getBlobClient(blob).downloadToBuffer())
    return objects
  }
  return { address: `azblob://${container}/state?${query}`, env, readObjects }
}
