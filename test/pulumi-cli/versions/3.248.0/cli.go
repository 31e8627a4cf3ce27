//go:build tools

// Package cli names Pulumi's command line, so that its modules stay pinned.
package cli

import _ "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
