// Package api tries naosu's custom resources on a real API server: what it takes, what it refuses, and with which words.
package api
