import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib'
import { AttributeType, Billing, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb'
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type LifecycleRule,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3'
import type { Construct } from 'constructs'
import { bucketOf, namesOf, tableKeys } from '../../shared/config/aws-places.ts'
import type { Settings } from '../settings.ts'
import type { Keys } from './encryption.ts'
import { part } from './part.ts'

/** Where everything durable is. */
export interface Data {
  readonly journal: TableV2
  readonly catalog: TableV2
  readonly bucket: Bucket
}

/** Two tables and a bucket, which stay when the installation goes. */
export function createData(scope: Construct, settings: Settings, keys: Keys): Data {
  const group = part(scope, 'Data')
  const names = namesOf(settings.installation)
  const { account, region } = Stack.of(scope)
  const table = (id: string, tableName: string): TableV2 =>
    new TableV2(group, id, {
      tableName,
      partitionKey: { name: tableKeys.partition, type: AttributeType.STRING },
      sortKey: { name: tableKeys.sort, type: AttributeType.STRING },
      timeToLiveAttribute: tableKeys.expires,
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.customerManagedKey(keys.data),
      warmThroughput: {
        readUnitsPerSecond: settings.warmReads,
        writeUnitsPerSecond: settings.warmWrites,
      },
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    })
  return {
    journal: table('Journal', names.journalTable),
    catalog: table('Catalog', names.catalogTable),
    bucket: new Bucket(group, 'Bucket', {
      bucketName: bucketOf(settings.installation, account, region),
      versioned: true,
      encryption: BucketEncryption.KMS,
      encryptionKey: keys.data,
      // One request to the key a while, instead of one an object.
      bucketKeyEnabled: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      lifecycleRules: lifecycle(settings),
      removalPolicy: RemovalPolicy.RETAIN,
    }),
  }
}

/**
 * Nothing current expires by itself: what is unused is known to the sweep alone. What was replaced
 * or removed stays for a while, so that a fault can be undone.
 */
function lifecycle({ noncurrentDays }: Settings): LifecycleRule[] {
  return [
    { id: 'unfinished', abortIncompleteMultipartUploadAfter: Duration.days(1) },
    { id: 'replaced', noncurrentVersionExpiration: Duration.days(noncurrentDays) },
    { id: 'markers', expiredObjectDeleteMarker: true },
  ]
}
