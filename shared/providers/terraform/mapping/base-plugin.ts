/**
 * The base plugin of all packages that Terraform providers implement. The version is that of
 * Pulumi's bridge in the golden cases of the tests.
 */
export const basePlugin = { name: 'terraform-provider', version: '1.1.3' } as const
