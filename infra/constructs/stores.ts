import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib'
import { AttributeType, Billing, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb'
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type BucketProps,
  type LifecycleRule,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3'
import type { Construct } from 'constructs'
import {
  bucketNameOf,
  bucketPrefixes,
  installationNamesOf,
  tableKeys,
} from '../../shared/config/aws-resource-names.ts'
import type { Settings } from '../settings.ts'
import type { EncryptionKeys } from './encryption.ts'
import { createTaggedScope } from './create-tagged-scope.ts'

/** The durable stores: two tables and a bucket. */
export interface Stores {
  readonly journalTable: TableV2
  readonly catalogTable: TableV2
  readonly bucket: Bucket
}

/**
 * Creates two tables and a bucket, which are retained when the installation is deleted. They are
 * removed if creating the CloudFormation stack fails. Otherwise their names would block the next
 * try. DynamoDB does not remove a protected table, so `antichain platform deploy` first creates
 * the tables with `dataProtection=off`.
 */
export function createStores(scope: Construct, settings: Settings, keys: EncryptionKeys): Stores {
  const part = createTaggedScope(scope, 'Data')
  const names = installationNamesOf(settings.installation)
  const { account, region } = Stack.of(scope)
  const createTable = (id: string, tableName: string): TableV2 =>
    new TableV2(part, id, {
      tableName,
      partitionKey: { name: tableKeys.partition, type: AttributeType.STRING },
      sortKey: { name: tableKeys.sort, type: AttributeType.STRING },
      timeToLiveAttribute: tableKeys.expires,
      billing: Billing.onDemand(),
      encryption:
        keys.data === undefined
          ? TableEncryptionV2.dynamoOwnedKey()
          : TableEncryptionV2.customerManagedKey(keys.data),
      warmThroughput: {
        readUnitsPerSecond: settings.warmReads,
        writeUnitsPerSecond: settings.warmWrites,
      },
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: settings.dataProtection === 'on',
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    })
  return {
    journalTable: createTable('Journal', names.journalTable),
    catalogTable: createTable('Catalog', names.catalogTable),
    bucket: new Bucket(part, 'Bucket', {
      bucketName: bucketNameOf(settings.installation, account, region),
      versioned: true,
      ...bucketEncryptionOf(keys),
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      lifecycleRules: lifecycleRulesOf(settings),
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    }),
  }
}

function bucketEncryptionOf({
  data: encryptionKey,
}: EncryptionKeys): Pick<BucketProps, 'encryption' | 'encryptionKey' | 'bucketKeyEnabled'> {
  if (encryptionKey === undefined) return { encryption: BucketEncryption.S3_MANAGED }
  // A bucket key reduces the requests to the key from one per object to one per period.
  return { encryption: BucketEncryption.KMS, encryptionKey, bucketKeyEnabled: true }
}

/**
 * Returns the lifecycle rules. Packed programs of the installer expire after a day, because the
 * generator stores them under another name. No other current object expires, because only the blob
 * sweep knows which of them are unused. Replaced and removed objects are kept for a while, so that
 * an error can be undone.
 */
function lifecycleRulesOf({ noncurrentDays }: Settings): LifecycleRule[] {
  return [
    { id: 'unfinished', abortIncompleteMultipartUploadAfter: Duration.days(1) },
    { id: 'replaced', noncurrentVersionExpiration: Duration.days(noncurrentDays) },
    { id: 'markers', expiredObjectDeleteMarker: true },
    {
      id: 'installs',
      prefix: bucketPrefixes.installs,
      expiration: Duration.days(1),
      noncurrentVersionExpiration: Duration.days(1),
    },
  ]
}
