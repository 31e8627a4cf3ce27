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
  TERRAFORM_ADDRESS_INVALID: {
    exit: 1,
    hint: 'Use the form [host/][namespace/]type, such as `hashicorp/random`.',
  },
  TERRAFORM_VERSION_INVALID: {
    exit: 1,
    hint: 'Use a version such as `3.6.3`, or conditions such as `~> 3.6` or `>= 3.1, < 4.0`.',
  },
  TERRAFORM_SETTINGS_INVALID: {
    exit: 1,
    hint: "Correct the named settings file of Terraform's command line.",
  },
  TERRAFORM_FILE_INVALID: {
    exit: 1,
    hint: 'Correct the file at the named line, or restore it from version control.',
  },
  TERRAFORM_PROVIDER_UNKNOWN: {
    exit: 1,
    hint: 'Check host, namespace and type of the address. Name the host of a registry other than registry.opentofu.org, or place the provider in a filesystem mirror.',
  },
  TERRAFORM_VERSION_MISSING: {
    exit: 1,
    hint: 'Request one of the versions that exist.',
  },
  TERRAFORM_PLATFORM_UNSUPPORTED: {
    exit: 1,
    hint: 'Request another version, or build the provider for this machine and place it in a filesystem mirror.',
  },
  TERRAFORM_CHECKSUM: {
    exit: 1,
    hint: 'Nothing was installed. Try again; if the error stays, the package was changed after its publication, or a proxy changes it.',
  },
  TERRAFORM_SIGNATURE: {
    exit: 1,
    hint: 'Nothing was installed. Report the message to the author of the provider or the operator of the registry.',
  },
  TERRAFORM_LOCK_MISMATCH: {
    exit: 1,
    hint: 'Request the version of the lock file, or update the lock with `antichain plugin install terraform <source> <version> --lock`.',
  },
  TERRAFORM_CREDENTIALS: {
    exit: 3,
    hint: 'Set the variable TF_TOKEN_<host> (with _ for each dot and __ for each dash), or add a `credentials` block to ~/.terraformrc.',
  },
  TERRAFORM_REGISTRY_UNREACHABLE: {
    exit: 1,
    hint: 'Check the network and the proxy, or install from a filesystem mirror.',
  },
  TERRAFORM_REGISTRY_INVALID: {
    exit: 1,
    hint: 'Try again later. If the error stays, report the message to the operator of the registry.',
  },
  TERRAFORM_STATE_INVALID: {
    exit: 1,
    hint: 'Restore the file from a backup, or write it again with `tofu state pull > terraform.tfstate`.',
  },
  TERRAFORM_STATE_UNSUPPORTED: {
    exit: 1,
    hint: 'Convert the state to format version 4 with Terraform or OpenTofu.',
  },
  TERRAFORM_STATE_REMOTE: {
    exit: 1,
    hint: 'Pull the state with `tofu state pull > terraform.tfstate` (or `terraform state pull`), and adopt that file.',
  },
  TERRAFORM_TYPE_UNKNOWN: {
    exit: 1,
    hint: 'Choose a version of the provider that has the type, with `--provider <address>=<version>`.',
  },
  TERRAFORM_ADOPTION_PARTIAL: {
    exit: 1,
    hint: 'The adopted resources are in the state. Correct the listed problems, and run the command again for the remaining resources.',
  },
} as const
