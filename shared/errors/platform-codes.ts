/**
 * Errors about installations on AWS and in the local cloud. These rows are part of the catalogue.
 */
export const platformCodes = {
  PLATFORM_SETTING_INVALID: {
    exit: 2,
    hint: 'Correct the setting in cdk.json or after --set; docs/aws.md lists all settings.',
  },
  PLATFORM_ENTRY_MISSING: {
    exit: 1,
    hint: 'Use a complete checkout: every entry point in infra/functions-table.ts must exist.',
  },
  PLATFORM_CDK_MISSING: {
    exit: 1,
    hint: 'Run the command with cli/antichain of a clone; an installed package has no CDK.',
  },
  PLATFORM_EMULATOR_MISSING: {
    exit: 1,
    hint: 'Install the toolchain named in the message; docs/emulators.md lists the toolchain of each server.',
  },
  PLATFORM_CREDENTIALS_MISSING: {
    exit: 3,
    hint: 'Sign in (for example `aws sso login`), set AWS_PROFILE, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  },
  PLATFORM_REGION_MISSING: {
    exit: 2,
    hint: 'Pass --region, or set AWS_REGION.',
  },
  PLATFORM_NOT_BOOTSTRAPPED: {
    exit: 1,
    hint: 'Run `npx cdk bootstrap aws://<account>/<region>` once for this account and region.',
  },
  PLATFORM_PERMISSION_MISSING: {
    exit: 1,
    hint: 'Ask your administrator for the permission named in the message; docs/aws.md lists all required ones.',
  },
  PLATFORM_IMAGE_TOOL_MISSING: {
    exit: 1,
    hint: 'Install Docker, or set CDK_DOCKER to another image builder, and check that it runs.',
  },
  PLATFORM_IMAGE_EMULATION_MISSING: {
    exit: 1,
    hint: 'Install emulation (`docker run --privileged --rm tonistiigi/binfmt --install arm64`), build on an arm64 machine, or pass --set architecture=x86_64.',
  },
  PLATFORM_STACK_BUSY: {
    exit: 1,
    hint: 'Wait until CloudFormation has finished its current operation on the stack, and run the command again.',
  },
  PLATFORM_STACK_PROTECTED: {
    exit: 1,
    hint: 'Turn off the termination protection of the stack, delete the tables and the bucket that its failed creation left behind, and run the command again.',
  },
  PLATFORM_NOT_FOUND: {
    exit: 6,
    hint: 'Check --installation and --region, or create the installation with `antichain platform deploy`.',
  },
  PLATFORM_CHECK_FAILED: {
    exit: 1,
    hint: 'Read the reason of each failed check above, and the log of the functions; then repeat the check with `antichain platform verify --only <check>`.',
  },
  PLATFORM_FAILED: {
    exit: 1,
    hint: 'Correct the error that CloudFormation reports above, and run the command again; its changes were rolled back.',
  },
  STACK_GROUP_DIFFERENT: {
    exit: 1,
    hint: 'Stacks of different groups share nothing. Export the stack and import it in the other group, or change the setting `groups` of the installation.',
  },
  GROUP_UNKNOWN: {
    exit: 1,
    hint: 'Name a group of the setting `groups` in ANTICHAIN_GROUP, or unset the variable for the default group.',
  },
} as const
