// Package manifest simulates what a person applies or patches: how a manifest is merged with the live object, whether the API server
// accepts the result, and that its controller reacts.
package manifest
