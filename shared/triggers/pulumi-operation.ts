/** The operations of Pulumi's deployments. */
export const pulumiOperations = [
  'update',
  'preview',
  'refresh',
  'destroy',
  'detect-drift',
  'remediate-drift',
] as const

/** An operation of Pulumi's deployments. */
export type PulumiOperation = (typeof pulumiOperations)[number]
