/** Errors of Terraform providers. These rows are part of `catalogue.ts`. */
export const terraformCodes = {
  TERRAFORM_PROVIDER_BUG: {
    exit: 1,
    hint: 'Report the message to the author of the provider, or pin an older version of it. The provider violates the protocol.',
  },
  TERRAFORM_PACKAGE_INVALID: {
    exit: 1,
    hint: 'Add the package again with `antichain package add terraform-provider <source> [version]`.',
  },
  TERRAFORM_CONFIG_INVALID: {
    exit: 1,
    hint: 'Correct the named properties of the resource in the program.',
  },
} as const
