// Package iam has the calls of AWS that naosu makes, and the least IAM policies that allow them. The policies in docs and in config/iam are generated from it.
package iam

//go:generate go run ./generate ../../..
