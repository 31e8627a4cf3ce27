/** The AWS services for which an installation can create endpoints in a private network. */
export const endpointServices = {
  /** Endpoints that are entries of route tables. They cost nothing. */
  gateway: ['s3', 'dynamodb'],
  /** Endpoints with an address in each subnet. AWS bills each address by the hour. */
  interface: [
    'sqs',
    'kms',
    'lambda',
    'sts',
    'scheduler',
    'monitoring',
    'logs',
    'ecr.api',
    'ecr.dkr',
  ],
} as const
