// Package cloud says what naosu may ask of whoever runs the machines: small capabilities, each of which a provider has or
// has not. Its folders are the providers.
package cloud
